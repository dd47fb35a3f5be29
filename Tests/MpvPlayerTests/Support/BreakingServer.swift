import TestSupport

/// A web server on 127.0.0.1 for one file. It closes each connection at a place in the file.
struct BreakingServer {
  /// The address of the server, without a slash at the end.
  let address: String
  private let server: RunningProgram

  /// Arguments: the file, the part of it that is sent, and the seconds without a server after the first break; with 0,
  /// it breaks off for ever.
  private static let program = """
    import os, re, socket, sys, threading, time
    data = open(sys.argv[1], "rb").read()
    cut, pause = int(len(data) * float(sys.argv[2])), float(sys.argv[3])
    whole = False
    def serve(peer):
        request = b""
        while b"\\r\\n\\r\\n" not in request:
            block = peer.recv(65536)
            if not block:
                return
            request += block
        found = re.search(rb"(?i)range: bytes=(\\d+)-", request)
        start = int(found[1]) if found else 0
        head = f"HTTP/1.1 {206 if found else 200} OK\\r\\nAccept-Ranges: bytes\\r\\nConnection: close\\r\\n"
        head += f"Content-Length: {len(data) - start}\\r\\n"
        if found:
            head += f"Content-Range: bytes {start}-{len(data) - 1}/{len(data)}\\r\\n"
        end = len(data) if whole else max(start, cut)
        try:
            peer.sendall(head.encode() + b"\\r\\n" + data[start:end])
        except OSError:
            pass
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    print(port)
    while True:
        peer = server.accept()[0]
        with peer:
            serve(peer)
        if pause and not whole:
            server.close()
            time.sleep(pause)
            whole = True
            server = socket.create_server(("127.0.0.1", port), reuse_port=False)
    """

  /// - Parameters:
  ///   - part: The part of the file after which connections are closed, 0 to 1.
  ///   - pause: The seconds without a server after the first break, after which all is sent; nil breaks off for ever.
  init(file: String, part: Double, pause: Int?) throws {
    server = try RunningProgram(
      "python3", ["-u", "-c", Self.program, file, "\(part)", "\(pause ?? 0)"])
    address = "http://127.0.0.1:\(try server.line())"
  }

  /// Ends the server.
  func end() { server.end() }
}
