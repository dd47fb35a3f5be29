import Devices
import Foundation
import Glibc
import JSON
import MediaNetwork
import Platform
import PluginProtocol
import TestSupport
import Testing

@testable import MpvPlayer

/// Films in the forms that servers send, made once.
private enum Streams {
  static let folder = Result { () throws -> TemporaryFolder in
    let folder = try TemporaryFolder()
    let film = [
      "-f", "lavfi", "-i", "color=red:s=160x90:r=25:d=10", "-f", "lavfi", "-i",
      "sine=440:r=48000:d=10,volume=4", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt",
      "yuv420p", "-g", "25", "-c:a", "aac",
    ]
    let segments = ["-f", "hls", "-hls_list_size", "0", "-hls_time", "1"]
    try TestFilms.ffmpeg(film + segments + [folder.path(of: "ts.m3u8")])
    try TestFilms.ffmpeg(
      film + ["-hls_segment_type", "fmp4"] + segments + [folder.path(of: "fmp4.m3u8")])
    try TestFilms.ffmpeg(
      film + segments + ["-hls_flags", "single_file", folder.path(of: "ranges.m3u8")])
    try TestFilms.ffmpeg(
      film + ["-hls_segment_type", "fmp4"] + segments
        + ["-hls_flags", "single_file", folder.path(of: "map.m3u8")])
    try folder.write("secret.key", Array(0..<16))
    try folder.write("keys.txt", Array("secret.key\n\(folder.path(of: "secret.key"))\n".utf8))
    try TestFilms.ffmpeg(
      film + segments
        + ["-hls_key_info_file", folder.path(of: "keys.txt"), folder.path(of: "keys.m3u8")])
    try TestFilms.ffmpeg(film + [folder.path(of: "film.mkv")])
    try folder.write(
      "master.m3u8",
      Array(
        ("#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=64000,RESOLUTION=160x90\r\nts.m3u8\r\n"
          + "#EXT-X-STREAM-INF:BANDWIDTH=32000,RESOLUTION=160x90\r\nfmp4.m3u8\r\n").utf8))
    try folder.write(
      "list.m3u", Array("\u{FEFF}#EXTM3U\r\n#EXTINF:-1,F\r\nnone.mkv\r\nfilm.mkv\r\n".utf8))
    try folder.write(
      "list.pls", Array("[playlist]\nFile1=http://127.0.0.1:1/dead\nFile2=list.m3u\n".utf8))
    try folder.write(
      "list.xspf",
      Array("<playlist><trackList><track><location>ts.m3u8</location></track></trackList>".utf8))
    return folder
  }
}

@Suite("Films from the network")
struct NetworkTests {
  private func player(_ url: String) async throws -> PlayerBench {
    try await PlayerBench(
      .dvdPlayer, ["streams": [["name": "TV", "url": .string(url)]]],
      makeProxy: { () throws(SystemError) in
        try MediaProxy(isPublic: { $0.text == "127.0.0.2" })
      })
  }

  @Test(
    "lists of segments, playlists and chunked answers play",
    arguments: [
      "ts.m3u8", "fmp4.m3u8", "master.m3u8", "ranges.m3u8", "map.m3u8", "keys.m3u8",
      "ts.m3u8?live=1", "list.m3u", "list.pls", "list.xspf",
      "film.mkv?chunked=1", "ts.m3u8?gzip=1", "?to=/ts.m3u8", "?to=/film.mkv",
    ])
  func lists(path: String) async throws {
    let server = try MediaServer(try Streams.folder.get())
    let player = try await player("\(server.address)/\(path)")
    try await player.play("stream/TV")
    #expect(player.playback?.status == .playing)
    try await player.wait("it is heard") { $0.sink.frames > 24_000 }
    #expect(player.attribute("resolution") == "160×90")
    await player.end()
  }

  @Test("a film on a public server is reached over a redirect and a list of another server")
  func publicServer() async throws {
    let folder = try TemporaryFolder()
    let outside = try MediaServer(try Streams.folder.get(), host: "127.0.0.2")
    try folder.write("away.m3u", Array("\(outside.address)/master.m3u8\n".utf8))
    let server = try MediaServer(folder)
    for path in ["away.m3u", "?to=\(outside.address)/film.mkv"] {
      let player = try await player("\(server.address)/\(path)")
      try await player.play("stream/TV")
      try await player.wait("it is heard") { $0.sink.frames > 4_800 }
      await player.end()
    }
  }

  @Test("neither a redirect nor a list leads into a private network")
  func inside() async throws {
    let inside = try MediaServer(try Streams.folder.get(), host: "127.0.0.3")
    let folder = try TemporaryFolder()
    let begin = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n"
    let end = "\n#EXT-X-ENDLIST\n"
    func write(_ name: String, _ text: String) throws { try folder.write(name, Array(text.utf8)) }
    try write("segment.m3u8", begin + "#EXTINF:1,\n\(inside.address)/ts0.ts" + end)
    try write("master.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(inside.address)/ts.m3u8\n")
    try write("redirect.m3u8", begin + "#EXTINF:1,\n/?to=\(inside.address)/ts0.ts" + end)
    try write("list.m3u", "\(inside.address)/film.mkv\n")
    // Not requested as a playlist because of their names, but lists all the same.
    try write("list.mkv", "#EXTM3U\n\(inside.address)/film.mkv\n")
    try write("concat.mkv", "ffconcat version 1.0\nfile \(inside.address)/film.mkv\n")
    let server = try MediaServer(folder)
    for path in [
      "segment.m3u8", "master.m3u8", "redirect.m3u8", "list.m3u", "list.mkv", "concat.mkv",
      "?to=\(inside.address)/film.mkv", "x.mkv?to=\(inside.address)/film.mkv",
      "x.mkv?to=https://127.0.0.3:\(inside.port)/film.mkv",
      "x.mkv?to=http://localhost:\(inside.port)/film.mkv",
    ] {
      let player = try await player("\(server.address)/\(path)")
      let refusal = await player.refusal(of: ["play": ["item": "stream/TV"]])
      #expect(refusal != nil, "\(path)")
      if path.hasPrefix("?to=") { #expect(refusal?.contains("private network") == true, "\(path)") }
      await player.end()
    }
    #expect(inside.requests.isEmpty)
  }

  @Test("a list connects nowhere with a protocol but http and https, whatever it names")
  func protocols() async throws {
    let trap = try ConnectionTrap()
    let folder = try TemporaryFolder()
    let begin = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n"
    let end = "#EXT-X-ENDLIST\n"
    func write(_ name: String, _ text: String) throws { try folder.write(name, Array(text.utf8)) }
    let schemes = ["httpproxy", "tcp", "tls", "crypto+httpproxy", "crypto+tcp"]
    let targets = schemes.map { "\($0)://127.0.0.3:\(trap.port)/x.ts" }
    func repeated(_ line: (String) -> String) -> String { targets.map(line).joined() }
    try write("segment.m3u8", begin + repeated { "#EXTINF:1,\n\($0)\n" } + end)
    try write(
      "master.m3u8",
      "#EXTM3U\n" + repeated { "#EXT-X-STREAM-INF:BANDWIDTH=1\n\($0)\n" })
    try write(
      "key.m3u8",
      begin + repeated { "#EXT-X-KEY:METHOD=AES-128,URI=\($0)\n#EXTINF:1,\ns.ts\n" } + end)
    try write(
      "map.m3u8", begin + repeated { "#EXT-X-MAP:URI=\"\($0)\"\n#EXTINF:1,\ns.ts\n" } + end)
    try write(
      "media.m3u8",
      "#EXTM3U\n"
        + repeated {
          "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",DEFAULT=YES,URI=\"\($0)\"\n"
        } + "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\ntcp://127.0.0.3:\(trap.port)\n")
    let away = "httpproxy://127.0.0.3:\(trap.port)/x.ts"
    try write("gone.m3u8", begin + "#EXTINF:1,\n/?to=\(away)\n" + end)
    // Not requested as playlists because of their names.
    try write("list.mkv", begin + "#EXTINF:1,\n\(away)\n" + end)
    try write(
      "dash.mkv",
      "<?xml version=\"1.0\"?><MPD type=\"static\" mediaPresentationDuration=\"PT8S\"><Period>"
        + "<AdaptationSet contentType=\"video\" mimeType=\"video/mp4\"><Representation id=\"1\" bandwidth=\"1\">"
        + "<BaseURL>\(away)</BaseURL><SegmentList duration=\"1\"><SegmentURL media=\"\(away)\"/>"
        + "</SegmentList></Representation></AdaptationSet></Period></MPD>")
    let server = try MediaServer(folder)
    for path in [
      "segment.m3u8", "master.m3u8", "key.m3u8", "map.m3u8", "media.m3u8", "gone.m3u8",
      "list.mkv", "dash.mkv", "?to=\(away)", "x.mkv?to=\(away)",
    ] {
      let player = try await player("\(server.address)/\(path)")
      #expect(await player.refusal(of: ["play": ["item": "stream/TV"]]) != nil, "\(path)")
      #expect(trap.takeConnections() == 0, "\(path)")
      await player.end()
    }
  }

  @Test("a film in a folder opens nothing in the network, whatever it holds")
  func files() async throws {
    let server = try MediaServer(try Streams.folder.get())
    let folder = try TemporaryFolder()
    let begin = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:8\n#EXTINF:8,\n"
    for (name, text) in [
      ("hls.mkv", begin + "\(server.address)/ts0.ts\n#EXT-X-ENDLIST\n"),
      ("list.mkv", "#EXTM3U\n\(server.address)/film.mkv\n"),
      ("concat.mkv", "ffconcat version 1.0\nfile \(server.address)/film.mkv\n"),
      (
        "sdp.mkv",
        "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
          + "m=audio 5004 RTP/AVP 0\r\n"
      ),
    ] {
      try folder.write("films/\(name)", Array(text.utf8))
    }
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "films"))]])
    #expect(try await player.scan().isEmpty)
    for name in ["hls.mkv", "list.mkv", "concat.mkv", "sdp.mkv"] {
      let start = ContinuousClock.now
      #expect(await player.refusal(of: ["play": ["item": .string("films/\(name)")]]) != nil)
      #expect(ContinuousClock.now - start < .seconds(10), "\(name) waits for the network")
    }
    #expect(server.requests.isEmpty)
    await player.end()
  }

  @Test("refuses an address without a server, which mpv would read in its own way")
  func noServer() async throws {
    for url in ["http://ex%61mple/x", "http:///x", "rtsp:///x", "https://x:99999/"] {
      let player = try await player(url)
      let refusal = await player.refusal(of: ["play": ["item": "stream/TV"]])
      #expect(refusal?.contains("names no server") == true, "\(url)")
      await player.end()
    }
  }

  @Test("a file plays after a stream, and a stream after a file")
  func alternation() async throws {
    let server = try MediaServer(try Streams.folder.get())
    let films = try TestFilms.make()
    let player = try await PlayerBench(
      .dvdPlayer,
      [
        "folders": [.string(films.path)],
        "streams": [["name": "TV", "url": .string("\(server.address)/ts.m3u8")]],
      ])
    for item in ["films/red.mkv", "stream/TV", "films/red.mkv"] {
      try await player.play(item)
      #expect(player.playback?.status == .playing && player.playback?.item == item)
    }
    await player.end()
  }

  @Test("a camera with rtsp plays, and one that redirects leads nowhere")
  func camera() async throws {
    let camera = try CameraServer()
    let playing = try await player("rtsp://127.0.0.1:\(camera.port)/live")
    try await playing.play("stream/TV")
    #expect(playing.playback?.status == .playing)
    #expect(camera.request(within: 5)?.contains("/live") == true)
    await playing.end()
    let inside = try CameraServer()
    let moved = try CameraServer(redirectingTo: "rtsp://127.0.0.1:\(inside.port)/live")
    let refused = try await player("rtsp://127.0.0.1:\(moved.port)/live")
    #expect(await refused.refusal(of: ["play": ["item": "stream/TV"]]) != nil)
    #expect(moved.request(within: 5) != nil)
    #expect(inside.request(within: 0.5) == nil)
    await refused.end()
  }
}
