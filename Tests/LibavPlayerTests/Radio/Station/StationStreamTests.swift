import JSON
import MediaFolders
import Testing

@testable import LibavPlayer

@Suite("A station's address and answer")
struct StationStreamTests {
  @Test("Reads addresses, and resolves the target of a redirect against them")
  func addresses() throws {
    let plain = try #require(StationAddress("http://Radio.example/live?a=1#top"))
    #expect(plain.host == "radio.example" && plain.port == 80 && plain.path == "/live?a=1")
    #expect(plain.authority(of: plain.host) == "radio.example")
    let full = try #require(StationAddress("HTTPS://me:p%40ss@[2001:DB8::1]:8443"))
    #expect(full.isSecure && full.host == "2001:db8::1" && full.port == 8443 && full.path == "/")
    #expect(full.credentials == "me:p@ss" && full.authority(of: full.host) == "[2001:db8::1]:8443")
    #expect(StationAddress("http://x/a b/ü")?.path == "/a%20b/%C3%BC")
    #expect(plain.redirected(to: "/b")?.path == "/b")
    #expect(plain.redirected(to: "b?c")?.path == "/b?c")
    #expect(plain.redirected(to: "?c")?.path == "/live?c")
    #expect(plain.redirected(to: "//other/x")?.host == "other")
    #expect(plain.redirected(to: "https://other:1/x")?.port == 1)
    #expect(full.redirected(to: "/b")?.isSameServer(as: full) == true)
    #expect(plain.redirected(to: "https://radio.example/")?.isSameServer(as: plain) == false)
  }

  @Test(
    "Rejects texts that are no address",
    arguments: [
      "", "http://", "http:///x", "file:///x", "http://a b/", "http://x:0/", "http://x:99999/",
      "http://x/\r\nHost: y", "http://[::1/", "http://[x]/", "http://a%zz@x/", "//x/",
      "http://" + String(repeating: "x", count: 300) + "/",
    ])
  func noAddresses(text: String) { #expect(StationAddress(text) == nil) }

  @Test("Only addresses of the public Internet are public")
  func publicAddresses() {
    for text in [
      "1.1.1.1", "172.15.0.1", "172.32.0.1", "223.255.255.255", "2a00:1450::1",
      "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:4860::1",
    ] {
      #expect(NetworkAddress(text)?.isPublic == true, "\(text)")
    }
    for text in [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.168.1.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
      "::", "::1", "fe80::1", "fd00::1", "ff02::1", "2001:db8::1", "2002:a00:1::1", "2001::1",
      "::ffff:10.0.0.1", "64:ff9b::127.0.0.1",
    ] {
      #expect(NetworkAddress(text)?.isPublic == false, "\(text)")
    }
    #expect(NetworkAddress("localhost") == nil)
    #expect(NetworkAddress.all(of: "127.0.0.1").map(\.isPublic) == [false])
  }

  @Test("Reads the head of a response in the forms that servers send")
  func heads() throws {
    let text = "ICY 200 OK\r\nicy-metaint: 16000 \r\nContent-Length: -5\r\n\r\nsound"
    let end = try #require(StationHead.end(in: Array(text.utf8)))
    let head = try #require(StationHead(Array(text.utf8)[..<end]))
    #expect(head.status == 200 && head.interval == 16_000 && head.length == nil)
    #expect(String(decoding: Array(text.utf8)[end...], as: UTF8.self) == "sound")
    let moved = StationHead(Array("HTTP/1.1 302 Found\nLocation:  http://x/y\n\n".utf8))
    #expect(moved?.location == "http://x/y")
    #expect(StationHead(Array("HTTP/1.1 200\r\nLocation: x\r\n\r\n".utf8))?.location == nil)
    #expect(StationHead.end(in: Array("HTTP/1.1 200\r\n".utf8)) == nil)
    for text in ["", "SSH-2.0-x", "HTTP/1.1 abc", "HTTP/1.1 99999", "HTTP/1.1"] {
      #expect(StationHead(Array((text + "\r\n\r\n").utf8)) == nil)
    }
    #expect(throws: MediaFailure.self) {
      try StationHead(Array("HTTP/1.1 404 Not\u{1B}[2J\r\n\r\n".utf8))?.requireStream(subject: "x")
    }
  }

  @Test("Turns a station's title into one safe line of bounded length")
  func hostileTitles() {
    func title(_ text: String) -> String? {
      StationTitle.read(Array("StreamTitle='\(text)';StreamUrl='x';".utf8))
    }
    #expect(title("Don't Stop; 'Now'") == "Don't Stop; 'Now'")
    #expect(title("\u{202E}gnos\u{7}\nnext") == "gnos next")
    #expect(title("  ") == nil)
    let marks = title("a" + String(repeating: "\u{308}\u{323}", count: 900))
    #expect(marks?.isStreamSafe == true && marks?.unicodeScalars.first == "a")
    #expect((title(String(repeating: "é", count: 1_900))?.utf8.count ?? 0) <= MediaText.longestTag)
    #expect(StationTitle.read(Array("StreamTitle='Caf".utf8) + [0xE9] + Array("';".utf8)) == "Café")
    #expect(StationTitle.read(Array("StreamUrl='x';".utf8)) == nil)
  }

  @Test("Skips header fields of combining marks")
  func hostileHeads() {
    let marks = String(repeating: "\u{308}\u{323}", count: 3_000)
    let head = StationHead(
      Array("HTTP/1.1 302 x\(marks)\r\n\(marks): 1\r\nLocation: http://x/\(marks)\r\n\r\n".utf8))
    #expect(head?.status == 302)
    #expect(head?.location == nil)
    #expect((head?.reason.utf8.count ?? 99) <= 60)
  }
}
