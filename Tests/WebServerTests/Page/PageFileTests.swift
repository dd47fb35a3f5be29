import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import WebServer

@Suite struct PageFileTests {
  private static let listener = Listener.port(0, of: "127.0.0.1")

  private func site() throws -> Site { try Site(folder: TestServer.siteFolder) }

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
        #expect(answer.header("content-type") == file.headers[.contentType], "\(path)")
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
    #expect(!text.contains(Site.placeholder))
    let named = text.matches(of: /(?:href|src)="([^"]+)"/).map { String($0.output.1) }
    #expect(named.count > 3)
    for path in named { #expect(files[path] != nil, "\(path)") }
  }

  @Test("imports only modules and styles that are served")
  func imports() throws {
    let files = try site().files
    for (path, file) in files where path.hasSuffix(".js") {
      let folder = String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex))
      let text = String(buffer: file.body)
      for match in text.matches(of: /(?:from|import\()\s*'\.\/([^']+)'/) {
        #expect(files[folder + String(match.output.1)] != nil, "\(path): \(match.output.1)")
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

  @Test("lets browsers keep hashed files for ever, and revalidates the shell")
  func caching() async throws {
    let files = try site().files
    let module = try #require(files.keys.first { $0.hasSuffix("/js/main.js") })
    let tag = try #require(files["/"]?.headers[.eTag])
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
    "serves drawings and styles without comments, and styles without needless spaces"
  )
  func withoutComments() throws {
    let code = """
      // One line.
      /** Several
       * lines. */
      export const a = '/* text */'; // kept
        /* before */ const b = 'http://x';
      """
    #expect(
      String(decoding: FileMinifier.withoutComments(Array(code.utf8)), as: UTF8.self)
        == "\n\n\nexport const a = '/* text */'; // kept\n const b = 'http://x';")
    let style = "a, b:hover > i { color: light-dark(red, blue); content: \"\"; }"
    #expect(
      String(decoding: FileMinifier.minifiedStyle(Array(style.utf8)), as: UTF8.self)
        == "a,b:hover>i{color:light-dark(red,blue);content:\"\"}")
    let lines = Array("a {\n  color: red;\n}\n\nb { }".utf8)
    #expect(String(decoding: FileMinifier.minifiedStyle(lines), as: UTF8.self) == "a{color:red}b{}")
  }

  @Test(
    "serves a module without comments and needless spaces, which leaves its texts and its meaning",
    arguments: [
      ("import { a, b } from './x, y.js';", "import{a,b}from'./x, y.js';"),
      ("a.map((b, c) => [b, 'd => e, f']); g();", "a.map((b,c)=>[b,'d => e, f']);g();"),
      ("a = \"it's, \"; b = ', \"';", "a=\"it's, \";b=', \"';"),
      ("const a = b ? -c : d ?? e;", "let a=b?-c:d??e;"), ("a + +b - -c++ + d", "a+ +b- -c++ +d"),
      (
        "for (const a of [b]) if (a in c && !d) return { e };",
        "for(let a of[b])if(a in c&&!d)return{e};"
      ),
      ("a.replace(/, '[/]/g, ', ') / b", "a.replace(/, '[/]/g,', ')/b"),
      ("a = `b, ${c, d}`, e", "a=`b, ${c, d}`,e"), ("a = 'b\\', c', d", "a='b\\', c',d"),
      ("a = `b ${c ? `d, e` : '}'}`, f", "a=`b ${c ? `d, e` : '}'}`,f"),
      ("  a, b // c, d\n/* e */ f", "a,b\nf"), ("a(() => {\n  b /*\n*/ c\n})", "a(()=>{b\nc})"),
      ("{ if (a); else { b(); } while (c); }", "{if(a);else{b()}while(c);}"),
      ("while (a);\nb;\nc", "while(a);\nb\nc"), ("if (a) b; else;\nc", "if(a)b;else;\nc"),
      ("if (a) /'/.test(b), c", "if(a)/'/.test(b),c"), ("a.if(b) / c / d", "a.if(b)/c/d"),
      ("for await (a of b) /\"/.test(a), c", "for await(a of b)/\"/.test(a),c"),
      ("a = `b ${/[}`]/.test(c) /* } ` */} d`, e", "a=`b ${/[}`]/.test(c) /* } ` */} d`,e"),
      ("a = `b ${c /* ' */ / 2} d`, e", "a=`b ${c /* ' */ / 2} d`,e"),
      ("else /a, b/.test(c), d; e.of / f, g", "else/a, b/.test(c),d;e.of/f,g"),
      ("a((b) => async (c) => (d), (e, f) => true);", "a(b=>async c=>(d),(e,f)=>!0);"),
      ("a = { const: b.true, c: false };\nd", "a={const:b.true,c:!1}\nd"),
      ("a;\n(b);\n[c];\nd;", "a;\n(b);\n[c]\nd;"),
      ("return a === undefined", "return a===void 0"),
      ("a(() => {\n  b();\n  c\n  d\n  return { e };\n});", "a(()=>{b();c\nd\nreturn{e}});"),
      ("a\n  .b(c,\n    d)\nif (e)\n  f / g / h", "a\n.b(c,d)\nif(e)\nf/g/h"),
    ])
  func modules(written: String, served: String) throws {
    let module = try #require(ModuleMinifier.minified(Array(written.utf8)))
    #expect(String(decoding: module, as: UTF8.self) == served)
  }

  @Test(
    "serves a module as it is written where a slash or an end is not certain",
    arguments: [
      "a, 'b, c", "a, \"b\n\"", "a, `b", "a, `b ${c`", "a, /b", "a, /b\n/", "a /* b", "a, (b",
      "a, b)", "a, (b]", "{ } /'/.test(a), b", "a = { b } / c, d", "a++ / b, c", "a-- / b, c",
    ])
  func uncertainModules(written: String) {
    let bytes = Array(written.utf8)
    #expect(ModuleMinifier.minified(bytes) == nil)
    #expect(FileMinifier.minified(bytes, of: "js/a.js") == bytes)
  }

  @Test("shortens every module of the page, and changes none a second time")
  func everyModule() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: TestServer.siteFolder + "/js") {
      let path = "\(TestServer.siteFolder)/js/\(name)"
      let written = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
      let served = try #require(ModuleMinifier.minified(written), "\(name)")
      #expect(served.count < written.count, "\(name)")
      #expect(ModuleMinifier.minified(served) == served, "\(name)")
    }
  }

  @Test("serves a drawing without indentation and the line breaks between its elements")
  func compactDrawing() {
    let drawing = Array(
      "<svg>\n  <g/>\n  <g id=\"a\">\n    <text>b c</text>\n  </g>\n</svg>\n".utf8)
    #expect(
      String(decoding: FileMinifier.minified(drawing, of: "room.svg"), as: UTF8.self)
        == "<svg><g/><g id=\"a\"><text>b c</text></g></svg>")
  }

  @Test("serves texts without spaces between them, and what is no JSON as it is")
  func compactTexts() {
    let texts = #"{"b": "Кіно: {title}", "a": {"one": "x / y"}}"#
    #expect(
      String(decoding: FileMinifier.minifiedJSON(Array(texts.utf8)), as: UTF8.self)
        == #"{"a":{"one":"x / y"},"b":"Кіно: {title}"}"#)
    #expect(FileMinifier.minifiedJSON(Array("{ broken".utf8)) == Array("{ broken".utf8))
  }

  @Test("A12 · serves texts with one byte for a Cyrillic letter, other letters as escapes")
  func cyrillicTexts() throws {
    let text = #"{"a":"Єґі Ящь – ×1"}"#
    let bytes = FileMinifier.minified(Array(text.utf8), of: "text/uk.json")
    let wanted: [UInt8] = [0xAA, 0xB4, 0xB3, 0x20, 0xDF, 0xF9, 0xFC, 0x20, 0x96, 0x20]
    #expect(bytes == Array(#"{"a":""#.utf8) + wanted + Array(#"\u00d71"}"#.utf8))
  }

  @Test(
    "all files of the page have at most 450 kB in each language; test-page weighs the login",
    arguments: ["en", "uk", "ru"])
  func sizes(language: String) throws {
    let sizes = try site().files.mapValues(\.body.readableBytes)
    let loaded = sizes.filter { path, _ in
      path.hasPrefix("/page/") && (!path.contains("/text/") || path.hasSuffix("\(language).json"))
    }
    let fixed = ["/", "/service-worker.js", "/manifest.webmanifest"].compactMap { sizes[$0] }
    #expect((fixed + loaded.values).reduce(0, +) <= 450_000)
  }

  @Test(
    "A9 · refuses a folder without a shell or with a file of another type",
    arguments: [["js/a.js"], ["index.html", "a.exe"], ["index.html", "js/a"]])
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
