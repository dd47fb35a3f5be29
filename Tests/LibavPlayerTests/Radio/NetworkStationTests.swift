import Devices
import Foundation
import JSON
import MediaNetwork
import Platform
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import LibavPlayer

/// A tuner whose proxy counts 127.0.0.2 as a public address, and a folder of sound on three servers.
private struct Bench {
  let controller: TestController
  let sink: CapturingSink

  init(_ url: String) async throws {
    let plugin = Plugin(
      id: "Test", version: "1",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          try InternetTuner(
            context: context,
            retryDelay: RetryDelay(from: .milliseconds(20), upTo: .milliseconds(100)),
            makeProxy: { () throws(SystemError) in
              try MediaProxy(isPublic: { $0.text == "127.0.0.2" })
            })
        }
      ])
    sink = try CapturingSink()
    controller = try await TestController(
      plugin, role: .tuner, options: ["stations": [["name": "Test FM", "url": .string(url)]]])
    try await controller.plug(into: sink)
    try await controller.perform("on")
    try await controller.perform(["station": "Test FM"])
  }

  /// Waits for the tone of 440 Hz.
  func waitForTone() async throws {
    try await sink.wait("two seconds of sound") { $0.frames > 96_000 }
    let stretch = try #require(sink.stretches.first)
    let (samples, rate) = (stretch.channel(0), stretch.format.rate)
    #expect(abs(SoundMeasurement.frequency(samples[(rate / 2)..<rate], rate: rate) - 440) < 1)
    try await controller.wait("playing") { $0.playback?.status == .playing }
  }

  /// Waits for the failure of the station and returns its reason.
  func reason() async throws -> String {
    try await controller.wait("failed") { $0.playback?.status == .failed }
    #expect(sink.frames == 0)
    return controller.playback?.reason ?? ""
  }
}

/// A folder of stations, made once.
private enum Sounds {
  static let folder = Result { () throws -> TemporaryFolder in
    let folder = try TemporaryFolder()
    let tone = ["-f", "lavfi", "-i", "sine=440:r=48000:d=12,volume=4", "-ac", "2"]
    func make(_ options: [String], _ name: String) throws {
      try TestFilms.ffmpeg(tone + options + [folder.path(of: name)])
    }
    try make(["-b:a", "128k"], "s.mp3")
    let segments = ["-f", "hls", "-hls_list_size", "0", "-hls_time", "1"]
    try make(["-c:a", "aac"] + segments, "ts.m3u8")
    try make(["-c:a", "aac", "-hls_segment_type", "fmp4"] + segments, "fmp4.m3u8")
    try make(["-c:a", "libmp3lame"] + segments, "mp3.m3u8")
    try make(["-c:a", "aac"] + segments + ["-hls_flags", "single_file"], "ranges.m3u8")
    try folder.write(
      "master.m3u8",
      Array(
        ("#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS=\"mp4a.40.2\"\r\nts.m3u8\r\n"
          + "#EXT-X-STREAM-INF:BANDWIDTH=32000,CODECS=\"mp4a.40.2\"\r\nfmp4.m3u8\r\n").utf8))
    try folder.write("list.m3u", Array("\u{FEFF}#EXTM3U\r\n#EXTINF:-1,S\r\ns.mp3\r\n".utf8))
    try folder.write("plain.m3u8", Array("none.mp3\ns.mp3\n".utf8))
    try folder.write(
      "list.pls",
      Array(
        ("[playlist]\r\nNumberOfEntries=2\r\nFile1=http://127.0.0.1:1/dead\r\nFile2=list.m3u\r\n"
          + "Version=2\r\n").utf8))
    try folder.write(
      "list.xspf",
      Array(
        ("<?xml version=\"1.0\"?><playlist version=\"1\"><trackList><track><location>ts.m3u8</location>"
          + "</track></trackList></playlist>").utf8))
    return folder
  }
}

@Suite("Stations behind lists, segments and redirects")
struct NetworkStationTests {
  @Test(
    "E14 · lists of segments, playlists and chunked answers play",
    arguments: [
      "ts.m3u8", "fmp4.m3u8", "mp3.m3u8", "master.m3u8", "ts.m3u8?live=1", "fmp4.m3u8?live=1",
      "ranges.m3u8", "ts.m3u8?type=text/plain", "ts.m3u8?gzip=1", "list.m3u", "plain.m3u8",
      "list.pls",
      "list.pls?type=text/html", "list.xspf", "s.mp3?chunked=1", "list.m3u?gzip=1&chunked=1",
      "?to=/ts.m3u8", "?to=/list.pls",
    ])
  func lists(path: String) async throws {
    let server = try MediaServer(try Sounds.folder.get())
    let bench = try await Bench("\(server.address)/\(path)")
    try await bench.waitForTone()
  }

  @Test(
    "E14 · a station on a public server is reached over a redirect and a list of another server")
  func publicServer() async throws {
    let folder = try TemporaryFolder()
    let outside = try MediaServer(try Sounds.folder.get(), host: "127.0.0.2")
    try folder.write("away.m3u8", Array("#EXTM3U\n\(outside.address)/master.m3u8\n".utf8))
    let server = try MediaServer(folder)
    try await Bench("\(server.address)/away.m3u8").waitForTone()
    try await Bench("\(server.address)/?to=\(outside.address)/s.mp3").waitForTone()
  }

  @Test("neither a redirect nor a list leads into a private network")
  func inside() async throws {
    let inside = try MediaServer(try Sounds.folder.get(), host: "127.0.0.3")
    let folder = try TemporaryFolder()
    let begin = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n"
    let end = "#EXT-X-ENDLIST\n"
    func write(_ name: String, _ text: String) throws { try folder.write(name, Array(text.utf8)) }
    try write("segment.m3u8", begin + "#EXTINF:1,\n\(inside.address)/ts0.ts\n#EXT-X-ENDLIST\n")
    try write("master.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(inside.address)/ts.m3u8\n")
    try write(
      "map.m3u8", begin + "#EXT-X-MAP:URI=\"\(inside.address)/init.mp4\"\n#EXTINF:1,\na.m4s\n\(end)"
    )
    try write(
      "key.m3u8",
      begin + "#EXT-X-KEY:METHOD=AES-128,URI=\"\(inside.address)/key\"\n#EXTINF:1,\na.ts\n\(end)")
    try write("redirect.m3u8", begin + "#EXTINF:1,\n/?to=\(inside.address)/ts0.ts\n\(end)")
    try write("file.m3u8", begin + "#EXTINF:1,\nfile:///etc/passwd\n\(end)")
    try write("socket.m3u8", begin + "#EXTINF:1,\ntcp://127.0.0.3:\(inside.port)/\n\(end)")
    try write("list.pls", "[playlist]\nFile1=\(inside.address)/s.mp3\n")
    let server = try MediaServer(folder)
    for name in [
      "segment.m3u8", "master.m3u8", "map.m3u8", "key.m3u8", "redirect.m3u8", "file.m3u8",
      "socket.m3u8", "list.pls", "?to=\(inside.address)/s.mp3",
    ] {
      _ = try await Bench("\(server.address)/\(name)").reason()
    }
    #expect(inside.requests.isEmpty)
    let reason = try await Bench("\(server.address)/list.pls").reason()
    #expect(reason.contains("private network"))
  }
}

@Suite("Stations whose lists name other protocols of libav")
struct StationProtocolTests {
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
    let server = try MediaServer(folder)
    for path in [
      "segment.m3u8", "master.m3u8", "key.m3u8", "map.m3u8", "media.m3u8", "gone.m3u8",
      "?to=\(away)",
    ] {
      _ = try await Bench("\(server.address)/\(path)").reason()
      #expect(trap.takeConnections() == 0, "\(path)")
    }
  }

  @Test("knows the addresses that a list may refer to")
  func rule() {
    for url in [
      "http://x/a", "https://x/a", "crypto+http://x/a", "crypto+https://x/a", "data:;base64,AA==",
      "crypto+data:;base64,AA==",
    ] {
      #expect(SegmentSource.isAllowed(url), "\(url)")
    }
    for url in [
      "httpproxy://x/a", "http:x", "https:x", "tcp://x:1", "crypto+tcp://x:1", "crypto:tcp://x:1",
      "crypto+crypto+http://x", "crypto+httpproxy://x", "http+tcp://x", "file:///x", "/x", "",
      "data+tcp://x:1", "subfile,,start,0,end,1,,:http://x", "HTTP://x",
    ] {
      #expect(!SegmentSource.isAllowed(url), "\(url)")
    }
  }
}

@Suite("A slow station", .realTime)
struct SlowStationTests {
  @Test("E14 · a station that delivers half as fast as it plays is gathered, not played in shreds")
  func halfRate() async throws {
    let server = try MediaServer(try Sounds.folder.get())
    let plugin = Plugin(
      id: "Test", version: "1",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in try InternetTuner(context: context) }
      ])
    let sink = try PacedSink()
    let controller = try await TestController(
      plugin, role: .tuner,
      options: [
        "stations": [["name": "Slow", "url": .string("\(server.address)/s.mp3?rate=8000")]]
      ])
    try await controller.ask(PlugRequest(device: "tuner", socket: sink.socket))
    try await controller.perform("on")
    try await controller.perform(["station": "Slow"])
    let start = ContinuousClock.now
    // Half of eleven seconds of sound.
    let isHeard = await eventually { sink.frames > 48_000 * 9 / 2 }
    #expect(isHeard)
    #expect(ContinuousClock.now - start > .seconds(7), "the station is slow")
    #expect((1...4).contains(sink.breaks), "\(sink.breaks) breaks")
    try await controller.wait("it says why nothing is heard") { controller in
      controller.playbacks.contains { $0.reason?.contains("no sound comes") == true }
    }
    await controller.end()
  }
}

@Suite("The gathering of sound after breaks")
struct GatheringPolicyTests {
  private static let piece: Int64 = 50_000_000

  /// Plays a station that delivers `speed` seconds of sound a second for `seconds`. Returns the numbers of breaks
  /// and of seconds that were heard.
  private func play(speed: Double, seconds: Int64) -> (breaks: Int, heard: Double) {
    var policy = GatheringPolicy()
    var (gathered, reserve, heard, now) = (Int64(0), Int64(0), Int64(0), Int64(0))
    let step = Int64(Double(Self.piece) / speed)
    while now < seconds * 1_000_000_000 {
      gathered += Self.piece
      if policy.add(Self.piece, remaining: reserve, now: now) {
        reserve += gathered
        gathered = 0
      }
      now += step
      heard += min(reserve, step)
      reserve -= min(reserve, step)
    }
    return (policy.breaks, Double(heard) / 1e9)
  }

  @Test("plays a station at its own speed from the first piece on")
  func normal() {
    #expect(play(speed: 1.01, seconds: 3_600).breaks <= 1)
    #expect(play(speed: 5, seconds: 60).breaks == 0)
  }

  @Test(
    "gathers for longer after each break",
    arguments: [(0.5, 11, 4), (0.5, 60, 5), (0.9, 60, 4), (0.3, 60, 5), (0.99, 600, 4)])
  func slow(speed: Double, seconds: Int64, most: Int) {
    let (breaks, heard) = play(speed: speed, seconds: seconds)
    #expect(breaks >= 1 && breaks <= most, "\(breaks)")
    #expect(heard > Double(seconds) * speed - 17)
  }

  @Test("counts the next break as the first after two calm minutes")
  func calm() {
    var policy = GatheringPolicy()
    // The pieces last a second, and arrive at these seconds.
    let arrivals: [Int64] = [0, 5, 6, 20, 21, 22, 23, 300, 301]
    let played = arrivals.map {
      policy.add(1_000_000_000, remaining: 0, now: $0 * 1_000_000_000)
    }
    #expect(played == [true, false, true, false, false, false, true, false, true])
    #expect(policy.breaks == 3)
  }

  @Test("an amplifier that takes sound faster than it plays it causes no break")
  func fastAmplifier() {
    var policy = GatheringPolicy()
    for index in 0..<1_000 {
      let isPlayed = policy.add(Self.piece, remaining: 0, now: Int64(index) * 1_000_000)
      #expect(isPlayed)
    }
    #expect(policy.breaks == 0)
  }
}
