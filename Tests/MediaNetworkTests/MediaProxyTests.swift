import CLibav
import Foundation
import MediaFolders
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MediaNetwork

/// A proxy that treats 127.0.0.2 as a public address, with a few names, and the accesses of one configured server.
private struct Bench {
  let folder: TemporaryFolder
  /// The configured server.
  let configured: MediaServer
  /// A server with a public address.
  let outside: MediaServer
  /// A server with a private address.
  let inside: MediaServer
  let proxy: MediaProxy
  let access: NetworkAccess

  init(
    limits: ProxyLimits = ProxyLimits(),
    resolve: @escaping @Sendable (String) -> [NetworkAddress]? = { _ in nil }
  ) throws {
    folder = try TemporaryFolder()
    try folder.write("sound.mp3", Array("ID3 sound".utf8))
    configured = try MediaServer(folder)
    outside = try MediaServer(folder, host: "127.0.0.2")
    inside = try MediaServer(folder, host: "127.0.0.3")
    proxy = try MediaProxy(
      limits: limits,
      resolve: { name in
        if let addresses = resolve(name) { return addresses }
        return switch name {
        case "outside.test": [NetworkAddress("127.0.0.2")].compactMap(\.self)
        case "inside.test": [NetworkAddress("127.0.0.3")].compactMap(\.self)
        default: NetworkAddress.all(of: name)
        }
      },
      isPublic: { $0.text == "127.0.0.2" })
    access = proxy.access(to: try #require(MediaAddress(configured.address)))
  }

  /// Opens an address and returns the bytes of its stream.
  func read(_ address: String) throws -> String {
    let place = try #require(MediaAddress(address))
    let (stream, _) = try StreamOpener(
      through: access, subject: "Test", patience: 5_000, interrupt: LibavInterrupt()
    ).open(place)
    guard case .bytes(let reader, var bytes) = stream else { return "hls" }
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = chunk.withUnsafeMutableBufferPointer { chunk in
        chunk.baseAddress.map { reader.read(into: $0, chunk.count) } ?? LAV_EOF
      }
      if count == LAV_EOF { return String(decoding: bytes, as: UTF8.self) }
      guard count > 0 else { throw reader.failure(count, doing: "reading") }
      bytes += chunk.prefix(Int(count))
    }
  }

  /// Opens an address and returns the message of its failure; nil if it opens.
  func failure(_ address: String) -> String? {
    do {
      _ = try read(address)
      return nil
    } catch {
      return (error as? MediaFailure)?.message ?? "\(error)"
    }
  }

  /// Sends text to the proxy and returns its whole answer.
  func answer(_ text: String) throws -> String {
    let url = try #require(MediaAddress(access.proxy))
    let client = try ProxySocket.connect(
      to: try #require(NetworkAddress("127.0.0.1")), port: url.port, within: 5_000, client: -1)
    defer { close(client) }
    ProxySocket.setBlocking(client, true)
    _ = text.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let count = recv(client, &chunk, chunk.count, 0), count > 0 {
      bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@Suite("The proxy for media from the network")
struct MediaProxyTests {
  @Test("gives what the configured server has, whole, chunked and compressed, at a private address")
  func configured() throws {
    let bench = try Bench()
    for query in ["", "?chunked=1", "?gzip=1", "?chunked=1&gzip=1"] {
      #expect(try bench.read(bench.configured.address + "/sound.mp3" + query) == "ID3 sound")
    }
  }

  @Test("a redirect within the configured server, and to a public one, is followed")
  func followed() throws {
    let bench = try Bench()
    let start = bench.configured.address + "/?to="
    for target in ["/sound.mp3", bench.outside.address + "/sound.mp3"] {
      #expect(try bench.read(start + target) == "ID3 sound")
    }
    #expect(
      try bench.read(start + "http://outside.test:\(bench.outside.port)/sound.mp3") == "ID3 sound")
  }

  @Test("a redirect to any other private address is refused without a request there")
  func redirects() throws {
    let bench = try Bench()
    let port = bench.inside.port
    for host in [
      "127.0.0.3", "inside.test", "0x7f.0.0.3", "127.3", "2130706435", "[::ffff:127.0.0.3]",
      "[::ffff:7f00:3]",
    ] {
      let failure = bench.failure(
        bench.configured.address + "/?to=http://\(host):\(port)/sound.mp3")
      #expect(failure?.contains("private network") == true, "\(host): \(failure ?? "no failure")")
    }
    let secure = bench.failure(
      bench.configured.address + "/?to=https://127.0.0.3:\(port)/sound.mp3")
    #expect(secure?.contains("private network") == true)
    // Another port of the configured host is another server.
    let other = try MediaServer(bench.folder)
    let again = bench.failure(bench.configured.address + "/?to=\(other.address)/sound.mp3")
    #expect(again?.contains("private network") == true)
    #expect(bench.inside.requests.isEmpty && other.requests.isEmpty)
  }

  @Test("a chain over a public server does not lead inside either, and does not go on for ever")
  func chains() throws {
    let bench = try Bench()
    let second = bench.outside.address + "/?to=" + bench.inside.address + "/sound.mp3"
    let failure = bench.failure(bench.configured.address + "/?to=" + second)
    #expect(failure?.contains("private network") == true)
    #expect(bench.inside.requests.isEmpty)
    try bench.folder.write("list.m3u", Array("http://127.0.0.3:\(bench.inside.port)/x".utf8))
    #expect(
      bench.failure(bench.outside.address + "/list.m3u")?.contains("private network") == true)
    let circle = bench.failure(
      bench.configured.address + "/?to=" + bench.configured.address + "/%3Fto%3D/%253Fto%253D/")
    #expect(circle != nil)
    #expect(bench.inside.requests.isEmpty)
  }

  @Test(
    "a name that changes its address is checked at each connection, and reached at the checked one")
  func rebinding() throws {
    let lookups = Mutex(0)
    let bench = try Bench { name in
      guard name == "rebind.test" else { return nil }
      let count = lookups.withLock { count in
        count += 1
        return count
      }
      return [NetworkAddress(count == 1 ? "127.0.0.2" : "127.0.0.3")].compactMap(\.self)
    }
    let port = bench.outside.port
    #expect(
      try bench.read(bench.configured.address + "/?to=http://rebind.test:\(port)/sound.mp3")
        == "ID3 sound")
    #expect(lookups.withLock(\.self) == 1, "the checked address is not looked up again")
    let failure = bench.failure(
      bench.configured.address + "/?to=http://rebind.test:\(port)/sound.mp3")
    #expect(failure?.contains("private network") == true)
  }

  @Test("follows playlists over a dead entry, relative ones, and some that lead to each other")
  func playlists() throws {
    let bench = try Bench()
    try bench.folder.write(
      "nested.pls", Array("[playlist]\r\nFile1=list.m3u\r\nFile2=/sound.mp3\r\n".utf8))
    try bench.folder.write(
      "list.m3u",
      Array("\u{FEFF}#EXTM3U\r\n/none.mp3\r\nhttp://127.0.0.1:1/x\r\nsound.mp3\r\n".utf8))
    try bench.folder.write(
      "list.xspf",
      Array("<?xml version='1.0'?><playlist><track><location>nested.pls</location></track>".utf8))
    try bench.folder.write("self.m3u", Array("#EXTM3U\nself.m3u?a\nself.m3u?b\n".utf8))
    for list in ["nested.pls", "list.m3u", "list.xspf", "list.m3u?gzip=1&chunked=1"] {
      #expect(try bench.read("\(bench.configured.address)/\(list)") == "ID3 sound", "\(list)")
    }
    let before = bench.configured.requests.count
    #expect(bench.failure("\(bench.configured.address)/self.m3u") != nil)
    #expect(bench.configured.requests.count - before <= StreamOpener.mostRequests)
  }

  @Test("says what was wrong")
  func problems() throws {
    let bench = try Bench()
    let address = bench.configured.address
    #expect(bench.failure(address + "/none.mp3")?.contains("answered 404 Not Found") == true)
    #expect(bench.failure(address + "/?status=503")?.contains("answered 503") == true)
    #expect(bench.failure(address + "/?to=file:///etc/passwd")?.contains("neither http") == true)
    #expect(
      bench.failure("http://no-such-host.invalid/x")?.contains("is not known") == true)
    try bench.folder.write("page", Array("<!DOCTYPE html><html></html>".utf8))
    #expect(bench.failure(address + "/page")?.contains("web page") == true)
    try bench.folder.write("empty.m3u", Array("#EXTM3U\nfile:///etc/passwd\nrtsp://x/\n".utf8))
    #expect(bench.failure(address + "/empty.m3u")?.contains("no http or https") == true)
    let closed = try ConnectionTrap(host: 2, refuses: true)
    let failure = bench.failure("http://127.0.0.2:\(closed.port)/x")
    #expect(failure?.contains("reached") == true, "\(failure ?? "no failure")")
  }

  @Test("an answer that breaks off is no end")
  func brokenOff() throws {
    let bench = try Bench()
    try bench.folder.write("long.mp3", Array(repeating: 0x49, count: 100_000))
    #expect(bench.failure(bench.configured.address + "/long.mp3?cut=50000") != nil)
  }

  @Test("serves only who knows the credentials, and connects nowhere before")
  func credentials() throws {
    let bench = try Bench()
    let target = bench.configured.address + "/sound.mp3"
    for field in ["", "Proxy-Authorization: Basic dGhlYXRlcjp4\r\n"] {
      let answer = try bench.answer("GET \(target) HTTP/1.1\r\n\(field)\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 407 "))
    }
    #expect(try bench.answer("CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 407 "))
    #expect(bench.configured.requests.isEmpty)
    let known = "Proxy-Authorization: \(bench.access.authorization)\r\n"
    #expect(try bench.answer("GET \(target) HTTP/1.1\r\n\(known)\r\n").hasSuffix("ID3 sound"))
    #expect(
      try bench.answer("POST \(target) HTTP/1.1\r\n\(known)\r\n").hasPrefix("HTTP/1.1 400 "))
    let other = bench.proxy.access(to: try #require(MediaAddress(bench.inside.address)))
    #expect(other.authorization != bench.access.authorization)
  }

  @Test("a tunnel passes bytes on in both directions")
  func tunnel() throws {
    let bench = try Bench()
    let port = bench.configured.port
    let answer = try bench.answer(
      "CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nProxy-Authorization: \(bench.access.authorization)"
        + "\r\n\r\nGET /sound.mp3 HTTP/1.0\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(answer.hasSuffix("ID3 sound"))
    let refused = try bench.answer(
      "CONNECT 127.0.0.3:\(bench.inside.port) HTTP/1.1\r\nProxy-Authorization: "
        + "\(bench.access.authorization)\r\n\r\n")
    #expect(refused.hasPrefix("HTTP/1.1 403 "))
  }

  @Test("a redirect to another protocol of libav leads nowhere")
  func otherProtocols() throws {
    let bench = try Bench()
    let trap = try ConnectionTrap()
    for scheme in ["httpproxy", "tcp", "tls", "crypto+http", "crypto+httpproxy", "HTTPPROXY"] {
      let target = "\(scheme)://127.0.0.3:\(trap.port)/x"
      #expect(bench.failure(bench.configured.address + "/?to=" + target) != nil)
      #expect(trap.takeConnections() == 0, "\(scheme)")
    }
  }

  @Test("a program that follows lists itself gets checked ones, plain bytes, and no tunnel")
  func lists() throws {
    let bench = try Bench()
    let known = "Proxy-Authorization: \(bench.access.listAuthorization)\r\n"
    func ask(_ path: String, _ fields: String = "") throws -> String {
      try bench.answer("GET \(bench.configured.address)\(path) HTTP/1.1\r\n\(fields)\(known)\r\n")
    }
    try bench.folder.write("good.m3u8", Array("#EXTM3U\n#EXTINF:1,\nsound.mp3\n".utf8))
    let good = "#EXTM3U\n#EXTINF:1,\n\(bench.configured.address)/sound.mp3\n"
    for path in ["/good.m3u8", "/good.m3u8?gzip=1&chunked=1", "/?to=/good.m3u8"] {
      let answer = try ask(path)
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\n" + good), "\(path)")
    }
    try bench.folder.write("bad.m3u8", Array("#EXTM3U\n#EXTINF:1,\ntcp://127.0.0.3:1\n".utf8))
    for path in ["/bad.m3u8", "/bad.m3u8?gzip=1", "/?to=/bad.m3u8"] {
      #expect(try ask(path).contains("neither http nor https"), "\(path)")
    }
    // libav skips a tag before a list.
    for size in [0, 10, 100, 65_519, 65_529, 70_000, 131_053] {
      let sizes = [14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
      let tag = Array("ID3".utf8) + [4, 0, 0, 0] + sizes + [UInt8](repeating: 0, count: size)
      try bench.folder.write("tag.m3u8", tag + Array("#EXTM3U\ntcp://127.0.0.3:1\n".utf8))
      #expect(try !ask("/tag.m3u8").contains("#EXTM3U"), "\(size)")
      try bench.folder.write("tag.mp3", tag + Array("##EXTM3#EXT sound".utf8))
      #expect(try ask("/tag.mp3").hasSuffix("##EXTM3#EXT sound"), "\(size)")
    }
    #expect(try ask("/sound.mp3").hasSuffix("\r\n\r\nID3 sound"))
    let part = try ask("/sound.mp3", "Range: bytes=4-6\r\n")
    #expect(part.contains("206 Partial") && part.contains("bytes 4-6/"))
    #expect(part.hasSuffix("\r\n\r\nsou"))
    #expect(try ask("/none.mp3").contains("answered 404"))
    #expect(try ask("/?to=\(bench.inside.address)/sound.mp3").contains("private network"))
    #expect(bench.inside.requests.isEmpty)
    let tunnel = try bench.answer(
      "CONNECT 127.0.0.1:\(bench.configured.port) HTTP/1.1\r\n\(known)\r\n")
    #expect(tunnel.hasPrefix("HTTP/1.1 403 "))
  }

  @Test("the refusal of a request without credentials names the position of the requested part")
  func refusedParts() throws {
    let bench = try Bench()
    func ask(_ fields: String) throws -> String {
      try bench.answer("GET \(bench.configured.address)/sound.mp3 HTTP/1.1\r\n\(fields)\r\n")
    }
    let part = try ask("Range: bytes=4-6\r\n")
    #expect(part.hasPrefix("HTTP/1.1 407 ") && part.contains("\r\nContent-Range: bytes 4-\r\n"))
    for fields in ["", "Range: bytes=0-\r\n", "Range: bytes=x-4\r\n", "Range: bytes=-4\r\n"] {
      #expect(try !ask(fields).contains("Content-Range"), "\(fields)")
    }
  }

  @Test("an address of https in a list is reached with TLS, by the same rule")
  func secureLists() throws {
    let bench = try Bench()
    let trap = try ConnectionTrap()
    let known = "Proxy-Authorization: \(bench.access.listAuthorization)\r\n"
    let refused = try bench.answer(
      "GET http://127.0.0.3.https.invalid:\(trap.port)/x HTTP/1.1\r\n\(known)\r\n")
    #expect(refused.contains("private network"))
    #expect(trap.takeConnections() == 0)
    // The server speaks no TLS.
    let plain = try bench.answer(
      "GET http://127.0.0.2.https.invalid:\(bench.outside.port)/sound.mp3 HTTP/1.1\r\n\(known)\r\n")
    #expect(plain.hasPrefix("HTTP/1.1 502 "))
    #expect(bench.outside.requests.isEmpty)
  }

  @Test("closes connections whose request is too long, too late or never ends")
  func requestBounds() throws {
    var limits = ProxyLimits()
    limits.request = 200
    let bench = try Bench(limits: limits)
    #expect(try bench.answer("GET http://x/ HTTP/1.1\r\n").isEmpty)
    #expect(try bench.answer("GET " + String(repeating: "x", count: 20_000)).isEmpty)
  }

  @Test("holds a bounded number of connections, and serves again when they have ended")
  func connections() async throws {
    let bench = try Bench()
    let url = try #require(MediaAddress(bench.access.proxy))
    let loopback = try #require(NetworkAddress("127.0.0.1"))
    var clients: [Int32] = []
    for _ in 0..<MediaProxy.mostConnections {
      clients.append(
        try ProxySocket.connect(to: loopback, port: url.port, within: 5_000, client: -1))
    }
    let isFull = await eventually { (try? bench.answer("GET x\r\n\r\n"))?.isEmpty == true }
    #expect(isFull)
    for client in clients { close(client) }
    let address = bench.configured.address
    let isServed = await eventually { (try? bench.read(address + "/sound.mp3")) == "ID3 sound" }
    #expect(isServed)
  }
}
