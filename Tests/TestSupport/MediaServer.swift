import Foundation

/// A web server for media on an address of this machine, which serves a folder.
///
/// A query changes the answer: `to=ADDRESS` redirects, `status=404` refuses, `type=…` names another type, `chunked=1`
/// and `gzip=1` encode the body, `cut=N` closes the connection after N bytes, `rate=N` sends the file again and again
/// at N bytes a second, `live=SECONDS` makes a sliding window of three segments of that length from a list of
/// segments.
public final class MediaServer: Sendable {
  /// The address of the server, without a slash at the end.
  public let address: String
  public let port: Int
  private let server: RunningProgram
  private let log: TemporaryFolder

  private static let program = #"""
    import gzip, os, socket, sys, time, urllib.parse
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    folder, log, host = sys.argv[1:4]
    start = time.monotonic()
    types = {".m3u8": "application/vnd.apple.mpegurl", ".m3u": "audio/x-mpegurl", ".pls": "audio/x-scpls",
             ".xspf": "application/xspf+xml", ".mp3": "audio/mpeg", ".aac": "audio/aac", ".ts": "video/mp2t"}

    def window(text, seconds):
        lines = text.decode().splitlines()
        head = [l for l in lines if l.startswith("#EXT-X-VERSION") or l.startswith("#EXT-X-MAP")]
        segments = [(lines[i], lines[i + 1]) for i in range(len(lines)) if lines[i].startswith("#EXTINF")]
        last = min(len(segments), 3 + int((time.monotonic() - start) / seconds))
        first = max(0, last - 3)
        list = ["#EXTM3U"] + head + ["#EXT-X-TARGETDURATION:%d" % max(1, round(seconds)),
                                     "#EXT-X-MEDIA-SEQUENCE:%d" % first]
        for pair in segments[first:last]:
            list += pair
        return ("\n".join(list) + "\n").encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *words):
            pass

        def do_GET(self):
            with open(log, "a") as file:
                file.write(self.path + "\n")
            url = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            if "to" in query or "status" in query:
                self.send_response(302 if "to" in query else int(query["status"]))
                if "to" in query:
                    self.send_header("Location", query["to"])
                self.send_header("Content-Length", "0")
                return self.end_headers()
            path = os.path.join(folder, urllib.parse.unquote(url.path).lstrip("/"))
            if not os.path.isfile(path):
                self.send_response(404)
                self.send_header("Content-Length", "0")
                return self.end_headers()
            with open(path, "rb") as file:
                body = file.read()
            if "live" in query:
                body = window(body, float(query["live"]))
            status = 200
            wanted = self.headers.get("Range")
            if wanted and not query:
                begin, end = wanted.removeprefix("bytes=").split("-")
                total, end = len(body), min(int(end or len(body) - 1), len(body) - 1)
                body, status = body[int(begin):end + 1], 206
            self.send_response(status)
            self.send_header("Content-Type", query.get("type", types.get(os.path.splitext(path)[1], "")))
            if status == 206:
                self.send_header("Content-Range", "bytes %s-%d/%d" % (begin, end, total))
            if "gzip" in query:
                body = gzip.compress(body)
                self.send_header("Content-Encoding", "gzip")
            if "rate" in query:
                self.close_connection = True
                self.end_headers()
                return self.send_slowly(body, int(query["rate"]))
            if "chunked" in query:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for at in range(0, len(body), 1000):
                    piece = body[at:at + 1000]
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                return self.wfile.write(b"0\r\n\r\n")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if "cut" in query:
                self.wfile.write(body[:int(query["cut"])])
                self.close_connection = True
                return
            self.wfile.write(body)

        def send_slowly(self, body, rate):
            sent, begin = 0, time.monotonic()
            while True:
                count = int((time.monotonic() - begin) * rate) - sent
                at = sent % len(body)
                piece = body[at:at + count]
                self.wfile.write(piece)
                sent += len(piece)
                time.sleep(0.02)

        def handle(self):
            try:
                super().handle()
            except OSError:
                pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    server = Server((host, 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """#

  /// Starts a server of `folder`.
  ///
  /// - Parameter host: An address of this machine, such as 127.0.0.2, which a test may count as a public one.
  public init(_ folder: TemporaryFolder, host: String = "127.0.0.1") throws {
    log = try TemporaryFolder()
    server = try RunningProgram(
      "python3", ["-u", "-c", Self.program, folder.path, log.path(of: "log"), host])
    let line = try server.line()
    guard let port = Int(line) else { throw RunningProgram.NoLine(description: line) }
    self.port = port
    address = "http://\(host):\(port)"
  }

  /// The paths and queries of all requests.
  public var requests: [String] {
    let text = try? String(contentsOfFile: log.path(of: "log"), encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }
}
