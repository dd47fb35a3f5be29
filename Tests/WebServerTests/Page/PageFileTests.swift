import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import WebServer

@Suite struct PageFileTests {
  private static let listener = Listener.port(0, of: "127.0.0.1")

  private func site() throws -> Site { try StagedPage.site }

  /// Sends one GET, or another method, with further header lines.
  private func ask(
    _ room: TestServer, _ path: String, _ lines: String..., method: String = "GET",
    host: String? = nil
  ) async throws -> RawAnswer {
    try await room.sendRaw(
      lines: ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(room.port)")"] + lines)
  }

  @Test("F5 · serves the page's own files without a session, and nothing else")
  func files() async throws {
    let files = try site().files
    try await TestServer.open(Self.listener) { room in
      for (path, file) in files {
        let answer = try await ask(room, path)
        #expect(answer.status == 200, "\(path)")
        #expect(answer.header("content-type") == file.type, "\(path)")
        #expect(answer.header("x-content-type-options") == "nosniff", "\(path)")
      }
      for path in [
        "/index.html", "/js/main.js", "/page/js/main.js", "/page", "/page/0/js/main.js",
        "/favicon.ico",
      ] {
        let answer = try await ask(room, path)
        #expect(answer.status == 401, "\(path)")
      }
    }
  }

  @Test("gives every address of the app the same shell, which names the files by their hash")
  func shell() throws {
    let files = try site().files
    let shells = Site.addresses.compactMap { files[$0]?.body }
    #expect(shells.count == Site.addresses.count)
    #expect(Set(shells).count == 1)
    let text = String(buffer: try #require(shells.first))
    #expect(!text.contains("@page@"))
    let named = text.matches(of: /(?:href|src)="([^"]+)"/).map { String($0.output.1) }
    #expect(named.count > 3)
    for path in named { #expect(files[path] != nil, "\(path)") }
  }

  @Test("imports only modules that are served")
  func imports() throws {
    let files = try site().files
    for (path, file) in files where path.hasSuffix(".js") {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      let text = String(buffer: file.body)
      for match in text.matches(of: /(?:from|import\()\s*'(\.[^']+)'/) {
        let target = folder.appendingPathComponent(String(match.output.1)).standardized.path
        #expect(files[target] != nil, "\(path): \(match.output.1)")
      }
    }
  }

  @Test("the shell names each module that the login imports, and for Home those that it adds")
  func preloadedModules() throws {
    let files = try site().files
    let shell = String(buffer: try #require(files["/"]?.body))
    func links(_ part: Substring) -> [String] {
      part.matches(of: /rel="modulepreload" href="([^"]+)"/).map { String($0.output.1) }
    }
    let parts = shell.split(separator: "<template", maxSplits: 1)
    let (login, home) = (links(try #require(parts.first)), links(try #require(parts.last)))
    #expect(Set(login).count == login.count && Set(login).isDisjoint(with: home))
    #expect(login.contains { $0.hasSuffix("/js/screens/login.js") })
    #expect(home.contains { $0.hasSuffix("/js/screens/home.js") })
    let all = Set(login + home)
    for path in all {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      let text = String(buffer: try #require(files[path]?.body, "\(path)"))
      for match in text.matches(of: /\bfrom '(\.[^']+)'/) {
        let target = folder.appendingPathComponent(String(match.output.1)).standardized.path
        #expect(all.contains(target), "\(path) imports \(target)")
      }
    }
  }

  @Test("F5 · the policy of the page allows its own files only, and no text as code")
  func policy() async throws {
    try await TestServer.open(Self.listener) { room in
      let answer = try await ask(room, "/login")
      let policy = try #require(answer.header("content-security-policy"))
      #expect(!policy.contains("unsafe"))
      #expect(!policy.contains("*"))
      #expect(!policy.contains("data:"))
      for part in [
        "default-src 'none'", "require-trusted-types-for 'script'", "trusted-types worker",
        "frame-ancestors 'none'",
        "form-action 'none'", "base-uri 'none'",
      ] {
        #expect(policy.contains(part), "\(part)")
      }
      let expected = [
        "x-frame-options": "DENY", "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
      ]
      for (name, value) in expected { #expect(answer.header(name) == value, "\(name)") }
    }
  }

  @Test("F5 · only documents and workers have the headers that only those need")
  func documentHeaders() async throws {
    let names = ["cross-origin-embedder-policy", "cross-origin-opener-policy", "referrer-policy"]
    let files = try site().files
    try await TestServer.open(Self.listener) { room in
      for (path, file) in files {
        let isDocumentOrWorker = !path.hasPrefix("/page/") || file.type == "image/svg+xml"
        let answer = try await ask(room, path)
        for name in names {
          #expect((answer.header(name) != nil) == isDocumentOrWorker, "\(path) \(name)")
        }
        let policy = answer.header("content-security-policy")
        #expect(policy?.contains("default-src 'none'") == true, "\(path)")
        #expect(answer.header("cross-origin-resource-policy") == "same-origin", "\(path)")
      }
    }
  }

  @Test("lets browsers keep hashed files for ever, and revalidates the shell")
  func caching() async throws {
    let files = try site().files
    let module = try #require(files.keys.first { $0.hasSuffix("/js/main.js") })
    let tag = try #require(files["/"]?.tag)
    try await TestServer.open(Self.listener) { room in
      let hashed = try await ask(room, module)
      #expect(hashed.header("cache-control")?.contains("immutable") == true)
      let shell = try await ask(room, "/")
      #expect(shell.header("cache-control") == "no-cache")
      for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
        let answer = try await ask(room, "/", "If-None-Match: \(known)")
        #expect(answer.status == 304, "\(known)")
        #expect(!answer.text.contains("<html"), "\(known)")
      }
      let changed = try await ask(room, "/", "If-None-Match: \"other\"")
      #expect(changed.status == 200)
    }
  }

  @Test("A9 · answers HEAD with the headers only, and other methods of strangers with 401")
  func methods() async throws {
    try await TestServer.open(Self.listener) { room in
      let head = try await ask(room, "/login", method: "HEAD")
      #expect(head.status == 200)
      #expect(head.header("content-length") != nil)
      #expect(!head.text.contains("<html"))
      for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer = try await ask(room, "/login", "Content-Length: 0", method: method)
        #expect(answer.status == 401, "\(method)")
      }
      let token = try await room.owner().token ?? ""
      let known = try await ask(
        room, "/login", "Content-Length: 0", "Authorization: Bearer \(token)", method: "DELETE")
      #expect(known.status == 405)
      #expect(known.header("allow") == "GET, HEAD")
    }
  }

  @Test("F5 · refuses foreign hosts and origins on the page's addresses as on the API's")
  func hostile() async throws {
    let module = try #require(try site().files.keys.first { $0.hasSuffix("/js/main.js") })
    try await TestServer.open(Self.listener) { room in
      for path in Site.addresses + [module] {
        let foreign = try await ask(room, path, host: "evil.example:\(room.port)")
        #expect(foreign.status == 421, "\(path)")
        let answer = try await ask(room, path, "Origin: http://evil.example")
        #expect(answer.status == 403, "\(path)")
        for mode in ["no-cors", "cors", "websocket"] {
          let answer = try await ask(
            room, path, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: \(mode)",
            "Sec-Fetch-Dest: script")
          #expect(answer.status == 403, "\(path) \(mode)")
        }
        let frame = try await ask(
          room, path, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
          "Sec-Fetch-Dest: iframe")
        #expect(frame.status == 403, "\(path)")
      }
    }
  }

  @Test("follows another site's link to the page, such as an invitation, but to nothing else")
  func links() async throws {
    let module = try #require(try site().files.keys.first { $0.hasSuffix("/js/main.js") })
    let link = [
      "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document",
    ]
    try await TestServer.open(Self.listener) { room in
      func follow(_ path: String, _ method: String = "GET", _ more: String...) async throws -> Int?
      {
        try await room.sendRaw(
          lines: ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(room.port)"] + link + more
        ).status
      }
      for path in ["/register", "/guest", "/", "/register?x=1"] {
        let status = try await follow(path)
        #expect(status == 200, "\(path)")
      }
      let refused = [
        try await follow(module), try await follow("/api/v1/health"),
        try await follow("/register", "POST", "Content-Length: 0"),
        try await follow("/register", "GET", "Origin: null"),
      ]
      #expect(refused == [403, 403, 403, 403])
    }
  }

  @Test(
    "sends a file compressed to whoever accepts gzip, and as it is to everybody else",
    arguments: [
      (["gzip"], true), (["deflate, gzip, br, zstd"], true), (["GZIP;q=0.1"], true),
      (["x-gzip"], true), (["*"], true), (["br", "gzip"], true), (["gzip; q=1.000"], true),
      (["gzip;q=0.5, identity;q=0.5"], true), ([], false), ([""], false), (["br"], false),
      (["identity"], false), (["gzip;q=0"], false), (["gzip;q=0.000"], false),
      (["*, gzip;q=0"], false), (["gzip;q=0.2, identity;q=0.8"], false), (["gzip;q=2"], false),
      (["gzip;q=1.5"], false), (["gzip;level=9"], false), (["gzip;q=0.5;q=1"], false),
      (["gzipped"], false), (["*;q=0"], false), ([",,;q=1,"], false),
    ])
  func compression(accepted: [String], isCompressed: Bool) async throws {
    let files = try site().files
    let module = try #require(files.keys.first { $0.hasSuffix("/js/main.js") })
    let plain = try #require(files[module])
    try await TestServer.open(Self.listener) { room in
      let lines =
        ["GET \(module) HTTP/1.1", "Host: 127.0.0.1:\(room.port)"]
        + accepted.map { "Accept-Encoding: \($0)" }
      let answer = try await room.sendRaw(lines: lines)
      #expect(answer.status == 200)
      #expect(answer.header("vary") == "Accept-Encoding")
      #expect(answer.header("content-encoding") == (isCompressed ? "gzip" : nil))
      let length = try #require(answer.header("content-length").flatMap(Int.init))
      #expect(isCompressed == (length < plain.body.readableBytes))
      let tag = try #require(answer.header("etag"))
      #expect(isCompressed == (tag != plain.tag))
      let again = try await room.sendRaw(lines: lines + ["If-None-Match: \(tag)"])
      #expect(again.status == 304)
      #expect(again.header("etag") == tag)
      #expect(again.header("vary") == "Accept-Encoding")
    }
  }

  @Test("the compressed form of a file is not taken for the file itself, nor the other way round")
  func tags() async throws {
    try await TestServer.open(Self.listener) { room in
      let plain = try await ask(room, "/")
      let short = try await ask(room, "/", "Accept-Encoding: gzip")
      let tags = (try #require(plain.header("etag")), try #require(short.header("etag")))
      #expect(tags.0 != tags.1)
      let crossed = [
        try await ask(room, "/", "If-None-Match: \(tags.1)"),
        try await ask(room, "/", "Accept-Encoding: gzip", "If-None-Match: \(tags.0)"),
      ]
      #expect(crossed.map(\.status) == [200, 200])
    }
  }

  @Test("what is not shorter with gzip, and each answer of the API, is sent as it is")
  func uncompressed() async throws {
    let picture = try #require(try site().files.keys.first { $0.hasSuffix(".png") })
    try await TestServer.open(Self.listener) { room in
      for path in [picture, "/api/v1/health", "/api/v1/validation"] {
        let answer = try await ask(room, path, "Accept-Encoding: gzip")
        #expect(answer.status == 200, "\(path)")
        #expect(answer.header("content-encoding") == nil, "\(path)")
        #expect(answer.header("vary") == nil, "\(path)")
      }
    }
  }

  @Test(
    "refuses a folder without a shell, with a file of another type or with a compressed one alone",
    arguments: [
      ["page/1/js/a.js"], ["index.html", "a.exe"], ["index.html", "page/1/js/a"],
      ["index.html", "page/1/js/a.js.gz"],
    ])
  func unusable(names: [String]) {
    let contents = Dictionary(uniqueKeysWithValues: names.map { ($0, Array("x".utf8)) })
    #expect(throws: SiteError.self) { try Site(contents: contents) }
  }

  @Test("A9 · says which folder cannot be read")
  func missing() {
    #expect {
      try Site(folder: "/nowhere/site")
    } throws: { ("\($0)").contains("/nowhere/site") }
  }
}
