import Glibc
import Platform
import TestSupport
import Testing

@testable import MediaNetwork

@Suite("Lists of segments for a program that follows their references")
struct SegmentListTests {
  private let address = MediaAddress("https://u:p@tv.example/a/list.m3u8?token=1")

  private func relayed(_ text: String) throws -> String {
    String(
      decoding: try SegmentList.relayed(Array(text.utf8), at: try #require(address)),
      as: UTF8.self)
  }

  @Test("every reference becomes an absolute one of http, and unknown tags are left out")
  func references() throws {
    let list = """
      #EXTM3U\r
      #EXT-X-VERSION:7
      # a remark
      #EXT-X-KEY:METHOD=AES-128,URI="key?a=b,c",IV=0x12
      #EXT-X-MAP:URI="/init.mp4", BYTERANGE="10@0"
      #EXT-X-SOMETHING:URI="tcp://192.168.1.1:80"
      #EXTINF:1.5,
      s0.ts
      #EXTINF:1.5,A title
      http://cdn.example:8080/s1.ts\u{0}//[2001:db8::1]/s2.ts
      #EXT-X-ENDLIST
      """
    #expect(
      try relayed(list) == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-KEY:METHOD=AES-128,URI="http://tv.example.https.invalid:443/a/key?a=b,c",IV=0x12
        #EXT-X-MAP:URI="http://tv.example.https.invalid:443/init.mp4",BYTERANGE="10@0"
        #EXTINF:1.5,
        http://tv.example.https.invalid:443/a/s0.ts
        #EXTINF:1.5,A title
        http://cdn.example:8080/s1.ts
        http://v6.2001_db8__1.https.invalid:443/s2.ts
        #EXT-X-ENDLIST

        """)
  }

  @Test("an address that was written for the program leads to the original one")
  func original() throws {
    for text in [
      "http://tv.example/x?y", "http://tv.example:81/", "https://tv.example/x",
      "https://tv.example:80/x", "https://[2001:db8::1]:8443/x", "http://[::1]:90/",
    ] {
      let address = try #require(MediaAddress(text))
      let relayed = SegmentList.relayed(address)
      #expect(!relayed.isSecure)
      let read = try #require(MediaAddress(relayed.text))
      #expect(SegmentList.original(of: read) == address)
    }
  }

  @Test(
    "a reference to anything but http and https makes the whole list unusable",
    arguments: [
      "httpproxy://192.168.1.1:80/x.ts", "tcp://192.168.1.1:80", "tls://192.168.1.1:443",
      "crypto+httpproxy://192.168.1.1:80/x.ts", "crypto:tcp://192.168.1.1:80", "file:///etc/passwd",
      "data:text/plain;base64,I0VYVE0zVQ==", "HTTPPROXY://192.168.1.1/",
      "concat:tcp://192.168.1.1:1",
      "subfile,,start,0,end,9,,:tcp://192.168.1.1:80", "httpproxy:192.168.1.1",
    ])
  func otherSchemes(reference: String) {
    for line in [
      reference, "  \(reference)", "#EXT-X-STREAM-INF:BANDWIDTH=1\n\(reference)",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"\(reference)\"", "#EXT-X-MAP:URI=\"\(reference)\"",
      "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"\(reference)\"",
      "#EXTINF:1,\u{0}\(reference)", "#EXTINF:1,\r\(reference)",
    ] {
      #expect(throws: NetworkAccess.Problem.self, "\(line)") {
        try relayed("#EXTM3U\n\(line)\n")
      }
    }
  }

  @Test(
    "attributes that libav could read in another way make a list unusable",
    arguments: [
      "METHOD=\"\\\",URI=tcp://192.168.1.1:80,X=\"", "METHOD=A URI=tcp://192.168.1.1:80",
      "X=\"a\"URI=\"tcp://192.168.1.1:80\"", "X=\"a", "X", "=x", "x=1", "X=a\"URI=\"tcp://x\"",
      "X=a\u{1}", "URI=\"http://x/\\\"",
    ])
  func attributes(text: String) {
    #expect(throws: NetworkAccess.Problem.self) { try relayed("#EXTM3U\n#EXT-X-KEY:\(text)\n") }
  }

  @Test("reads ranges with both ends alone")
  func ranges() {
    #expect(SegmentRelay.range("bytes=5-9") == 5..<10)
    for text in [
      "bytes=5-", "bytes=-5", "bytes=9-5", "bytes=1-2,3-4", "x=1-2",
      "bytes=0-9223372036854775807",
    ] {
      #expect(SegmentRelay.range(text) == nil, "\(text)")
    }
  }
}
