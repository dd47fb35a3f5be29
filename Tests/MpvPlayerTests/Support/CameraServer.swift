import TestSupport

/// A server of a camera with sound (RTSP over TCP) on 127.0.0.1.
struct CameraServer {
  let port: Int
  private let server: RunningProgram

  /// Prints its port, then the first line of each request. `target` is the address of a redirect, or empty.
  private static let program = #"""
    import re, socket, struct, sys, threading, time

    target = sys.argv[1]
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    print(port, flush=True)

    def play(client):
        number = 0
        while True:
            packet = struct.pack(">BBHII", 0x80, 0, number % 65536, number * 160, 1) + bytes(160)
            client.sendall(b"$\0" + struct.pack(">H", len(packet)) + packet)
            number += 1
            time.sleep(0.02)

    def serve(client):
        file = client.makefile("rb")
        while True:
            head = [file.readline().decode().strip()]
            if not head[0]:
                return
            while head[-1]:
                head.append(file.readline().decode().strip())
            print(head[0], flush=True)
            number = next(l for l in head if l.lower().startswith("cseq"))
            body, fields, status = "", "", "200 OK"
            method = head[0].split()[0]
            if method == "DESCRIBE" and target:
                status, fields = "302 Moved", "Location: %s\r\n" % target
            elif method == "DESCRIBE":
                body = ("v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns=Camera\r\nt=0 0\r\n"
                        "m=audio 0 RTP/AVP 0\r\na=control:track1\r\n")
                fields = "Content-Type: application/sdp\r\nContent-Length: %d\r\n" % len(body)
            elif method == "SETUP":
                fields = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n"
            elif method == "OPTIONS":
                fields = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
            client.sendall(("RTSP/1.0 %s\r\n%s\r\n%s\r\n%s" % (status, number, fields, body)).encode())
            if method == "PLAY":
                threading.Thread(target=play, args=(client,), daemon=True).start()

    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
    """#

  /// - Parameter target: The address to which it redirects; nil to play.
  init(redirectingTo target: String? = nil) throws {
    server = try RunningProgram("python3", ["-u", "-c", Self.program, target ?? ""])
    let line = try server.line()
    guard let port = Int(line) else { throw RunningProgram.NoLine(description: line) }
    self.port = port
  }

  /// Returns the first line of the next request; nil if none comes within `seconds`. Blocks its thread.
  func request(within seconds: Double) -> String? { try? server.line(within: seconds) }
}
