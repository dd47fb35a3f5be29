import APIClient
import JSON
import TestSupport
import Testing

@testable import WebServer

/// The page's own routes refuse hostile requests exactly as the API's do.
@Suite struct SiteRefusalTests {
  private static let listener = Listener.port(
    0, of: "127.0.0.1", hosts: HostList(["theater.example.org"]))

  /// A route of the API that needs a session, one that needs none, and each kind of file of the page.
  private static func paths() throws -> [String] {
    let files = try StagedPage.site.files.keys
    let kinds = ["/js/main.js", ".css", ".json", ".svg"].compactMap { kind in
      files.filter { $0.hasSuffix(kind) }.min()
    }
    #expect(kinds.count == 4)
    return ["/api/v1/status", "/api/v1/health"] + kinds
      + ["/", "/login", "/player", "/service-worker.js", "/manifest.webmanifest"]
  }

  /// Lines that a request may have beside its first one, and the status with which every path refuses them.
  /// `PORT` is filled in.
  private static let refused: [(lines: [String], status: Int)] = [
    // No host, several or none of the theater's.
    ([], 400), (["Host:"], 400), (["Host: localhost:PORT", "Host: evil.example"], 400),
    (["Host: localhost:PORT, evil.example"], 400), (["Host: evil@localhost:PORT"], 400),
    (["Host: evil.example:PORT"], 421), (["Host: 127.0.0.1.evil.example:PORT"], 421),
    (["Host: localhost.evil.example:PORT"], 421), (["Host: 127.0.0.1:1"], 421),
    (["Host: localhost"], 421), (["Host: 0x7f000001:PORT"], 421), (["Host: 127.1:PORT"], 421),
    (["Host: evil.example:PORT", "X-Forwarded-Host: localhost:PORT"], 421),
    (["Host: evil.example:PORT", "Forwarded: host=localhost:PORT"], 421),
    // Pages of other sites.
    (["Host: localhost:PORT", "Origin: null"], 403), (["Host: localhost:PORT", "Origin:"], 403),
    (["Host: localhost:PORT", "Origin: http://evil.example"], 403),
    (["Host: localhost:PORT", "Origin: http://localhost:PORT.evil.example"], 403),
    (["Host: localhost:PORT", "Origin: http://127.0.0.1:PORT"], 403),
    (
      ["Host: localhost:PORT", "Origin: http://localhost:PORT", "Origin: http://evil.example"], 403
    ),
    (["Host: localhost:PORT", "Origin: file://"], 403),
    (["Host: localhost:PORT", "Origin: ws://localhost:PORT"], 403),
    (["Host: localhost:PORT", "Sec-Fetch-Site: cross-site"], 403),
    (["Host: localhost:PORT", "Sec-Fetch-Site: same-site"], 403),
    (["Host: localhost:PORT", "Sec-Fetch-Site:"], 403),
    (["Host: localhost:PORT", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], 403),
    // In a frame, as an object or as a script of another site.
    (["Host: localhost:PORT"] + fetch("navigate", "iframe"), 403),
    (["Host: localhost:PORT"] + fetch("navigate", "frame"), 403),
    (["Host: localhost:PORT"] + fetch("navigate", "object"), 403),
    (["Host: localhost:PORT"] + fetch("navigate", "embed"), 403),
    (["Host: localhost:PORT"] + fetch("no-cors", "script"), 403),
    (["Host: localhost:PORT"] + fetch("no-cors", "image"), 403),
    (["Host: localhost:PORT"] + fetch("websocket", "websocket"), 403),
    // Two ends of the request, which a proxy and the server could read differently.
    (["Host: localhost:PORT", "Content-Length: 0", "Content-Length: 5"], 400),
    (["Host: localhost:PORT", "Content-Length: -1"], 400),
    (["Host: localhost:PORT", "Content-Length: 5", "Transfer-Encoding: chunked"], 400),
    (["Host: localhost:PORT", "Transfer-Encoding: chunked, identity"], 400),
    (["Host: localhost:PORT", "Transfer-Encoding : chunked"], 400),
    (["Host: localhost:PORT", "Bad Name: x"], 400), (["Host: localhost:PORT", " folded: x"], 400),
    (["Host: localhost:PORT", "X: \(String(repeating: "x", count: 9000))"], 431),
    (["Host: localhost:PORT"] + (0..<80).map { "X\($0): y" }, 431),
  ]

  private static func fetch(_ mode: String, _ destination: String) -> [String] {
    ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: \(mode)", "Sec-Fetch-Dest: \(destination)"]
  }

  @Test(
    "F5 · refuses hostile hosts, origins, frames and request ends on the page's paths as on the API's"
  )
  func refusals() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      let paths = try Self.paths()
      for (lines, status) in Self.refused {
        let lines = lines.map { $0.replacing("PORT", with: "\(room.port)") }
        for path in paths {
          let answer = try await room.sendRaw(
            lines: ["GET \(path) HTTP/1.1"] + lines + ["Cookie: theater=\(token)"])
          #expect(answer.status == status, "\(path) \(lines): \(answer.text.prefix(300))")
          #expect(answer.json["error"]?["code"]?.string?.isEmpty == false, "\(path) \(lines)")
          #expect(
            !answer.text.contains("<html") && answer.header("etag") == nil, "\(path) \(lines)")
        }
      }
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
    }
  }

  @Test("F5 · answers no other spelling of a path of the page's than the one that it has")
  func paths() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      let host = "Host: localhost:\(room.port)"
      let module = try #require(try Self.paths().first { $0.hasSuffix(".js") })
      let folder = module.dropLast("/main.js".count)
      let tricks =
        [
          "//", "/./", "/login/", "//login", "/./login", "/x/../login", "/%6cogin", "/login%2f",
          "/login%00", "/login%20", "/login;x=1", "/login.html", "/Login", "/login\\", "/%2e/login",
          "/index.html", "/js/main.js", "/css/page.css", "/page", "/page/", "/page/../login",
          "/service-worker.js/", "/%73ervice-worker.js", "/service-worker.js%00",
          "http://localhost:\(room.port)/login",
        ]
        + [
          "/main.js/", "//main.js", "/./main.js", "/%2e%2e/js/main.js", "/../js/main.js",
          "/..%2fjs%2fmain.js", "/..\\js\\main.js", "/main.js%00.css", "/%6dain.js", "/MAIN.js",
          "/main.js.map", "/../../index.html", "/%c0%ae%c0%ae/index.html", "/../../../etc/passwd",
        ].map { folder + $0 }
      for path in tricks {
        for (name, credentials) in [
          ("a stranger", []), ("the owner", ["Cookie: theater=\(token)"]),
        ] {
          let answer = try await room.sendRaw(lines: ["GET \(path) HTTP/1.1", host] + credentials)
          let statuses = credentials.isEmpty ? [400, 401] : [400, 404]
          #expect(
            answer.status.map(statuses.contains) == true, "\(name) \(path): \(answer.status ?? 0)")
          #expect(!answer.text.contains("<html"), "\(name) \(path)")
        }
      }
    }
  }

  @Test("F5 · every answer of the page's paths, refusals too, forbids frames and other types")
  func headers() async throws {
    try await TestServer.open(Self.listener) { room in
      for path in try Self.paths() + ["/index.html", "/nothing"] {
        for host in ["localhost:\(room.port)", "evil.example"] {
          let answer = try await room.sendRaw(lines: ["GET \(path) HTTP/1.1", "Host: \(host)"])
          #expect(answer.header("x-frame-options") == "DENY", "\(path)")
          #expect(
            answer.header("content-security-policy")?.contains("frame-ancestors 'none'") == true,
            "\(path)")
          #expect(answer.header("x-content-type-options") == "nosniff", "\(path)")
          #expect(answer.header("access-control-allow-origin") == nil, "\(path)")
        }
      }
    }
  }
}
