import Testing

@testable import MediaNetwork

@Suite("Playlists")
struct PlaylistTests {
  private static let place = "http://radio.example/lists/x"

  /// Returns the texts of the entries.
  private func entries(
    _ bytes: [UInt8], type: String = "", path: String = "/lists/x"
  ) throws -> [String] {
    let kind = Playlist.kind(bytes, type: type, path: path)
    return Playlist.entries(bytes, kind: kind, at: try #require(MediaAddress(Self.place))).map(
      \.text)
  }

  @Test(
    "reads the forms of m3u that are found in the wild",
    arguments: [
      "http://a/1\n", "http://a/1", "#EXTM3U\r\n#EXTINF:-1,Radio\r\nhttp://a/1\r\n",
      "\u{FEFF}#EXTM3U\n\n  http://a/1  \n", "#EXTM3U\rhttp://a/1\r",
      "#EXTINF:-1,No head\nhttp://a/1\n", "\n\n#EXTM3U\nhttp://a/1",
      "#EXTM3U\n#EXTINF:-1 tvg-id=\"x\" group-title=\"Ü\",Ü\n#EXTVLCOPT:x=y\nhttp://a/1\n",
    ])
  func m3u(text: String) throws { #expect(try entries(Array(text.utf8)) == ["http://a/1"]) }

  @Test("reads relative entries of m3u, in order and without repetitions")
  func relative() throws {
    let text = "#EXTM3U\nlive.mp3\n/top.mp3\n../up.mp3?a=b\n//other/x\nlive.mp3\nrtsp://a/b\n"
    #expect(
      try entries(Array(text.utf8)) == [
        "http://radio.example/lists/live.mp3", "http://radio.example/top.mp3",
        "http://radio.example/lists/../up.mp3?a=b", "http://other/x",
      ])
    #expect(
      try entries(Array("live.mp3".utf8), type: "audio/x-mpegurl")
        == ["http://radio.example/lists/live.mp3"])
    #expect(
      try entries(Array("live.mp3".utf8), path: "/x/LIST.M3U?a")
        == ["http://radio.example/lists/live.mp3"])
  }

  @Test(
    "reads the forms of pls that are found in the wild",
    arguments: [
      "[playlist]\nNumberOfEntries=2\nFile2=http://a/2\nTitle2=x\nFile1=http://a/1\nLength1=-1\n",
      "\u{FEFF}[Playlist]\r\nfile1=http://a/1\r\nfile2 = http://a/2\r\nVersion=2\r\n",
      "\r\n[PLAYLIST]\nFILE1=http://a/1\nFile10=\nFile2=http://a/2",
    ])
  func pls(text: String) throws {
    #expect(try entries(Array(text.utf8)) == ["http://a/1", "http://a/2"])
  }

  @Test(
    "reads xspf and asx",
    arguments: [
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/">
        <!-- <location>http://no/1</location> -->
        <trackList><track><title>A &amp; B</title>
        <location>
          http://a/1?x=1&amp;y=2
        </location></track>
        <track><location><![CDATA[http://a/2]]></location></track></trackList></playlist>
      """,
      "<asx version=\"3.0\"><entry><ref HREF = \"http://a/1?x=1&amp;y=2\"/></entry>"
        + "<Entry><Ref href='http://a/2' /></Entry></asx>",
    ])
  func xml(text: String) throws {
    #expect(try entries(Array(text.utf8)) == ["http://a/1?x=1&y=2", "http://a/2"])
  }

  @Test("expands no entities and includes no documents")
  func entities() throws {
    let text = """
      <!DOCTYPE playlist [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "http://a/">]>
      <playlist><trackList><track><location>&x;</location></track></trackList></playlist>
      """
    #expect(try entries(Array(text.utf8)) == ["http://radio.example/lists/&x;"])
  }

  @Test("reads UTF-16 and Latin-1")
  func encodings() throws {
    let text = "#EXTM3U\r\n#EXTINF:-1,Größe\r\nhttp://a/1\r\n"
    let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(try entries([0xFF, 0xFE] + little) == ["http://a/1"])
    #expect(try entries([0xFE, 0xFF] + big) == ["http://a/1"])
    let latin = text.unicodeScalars.map { UInt8($0.value) }
    #expect(try entries(latin) == ["http://a/1"])
  }

  @Test("tells playlists of segments, streams and web pages from playlists")
  func kinds() {
    func kind(_ text: String, _ type: String = "", _ path: String = "/x") -> Playlist.Kind {
      Playlist.kind(Array(text.utf8), type: type, path: path)
    }
    #expect(kind("#EXTM3U\n#EXT-X-VERSION:3\n") == .hls)
    #expect(kind("\u{FEFF}#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=1\r\na.m3u8") == .hls)
    #expect(kind("<html><body>", "text/html") == .other)
    #expect(kind("OggS\0\u{2}", "application/ogg", "/x.m3u") == .other)
    #expect(kind("ID3\u{4}\0", "audio/x-mpegurl") == .other)
    #expect(kind("fLaC") == .other)
    #expect(kind("") == .other)
  }

  @Test("bounds the entries of a large or hostile playlist")
  func bounds() throws {
    let many = "#EXTM3U\n" + (0..<5_000).map { "http://a/\($0)\n" }.joined()
    #expect(try entries(Array(many.utf8)).count == Playlist.mostEntries)
    let marks = "#EXTM3U\nhttp://a/" + String(repeating: "\u{308}\u{323}", count: 50_000)
    #expect(try entries(Array(marks.utf8)).isEmpty)
    for piece in ["<!--", "<location", "<location><![CDATA[", "<ref href=", "<"] {
      let text = "<playlist>" + String(repeating: piece, count: 200_000 / piece.count)
      _ = try entries(Array(text.utf8))
    }
  }
}
