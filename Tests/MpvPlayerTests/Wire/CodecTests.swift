import Devices
import Foundation
import JSON
import MediaNames
import Platform
import PluginProtocol
import TestSupport
import Testing

@testable import MpvPlayer

@Suite("MpvPlayer: messages and values")
struct CodecTests {
  @Test("parses replies and events, and rejects other lines")
  func messages() {
    func read(_ line: String) -> MpvMessage? { MpvMessage(line: line.utf8) }
    #expect(
      read(#"{"data":1.5,"request_id":7,"error":"success"}"#) == .reply(id: 7, .success(1.5)))
    #expect(read(#"{"request_id":8,"error":"success"}"#) == .reply(id: 8, .success(.null)))
    #expect(
      read(#"{"request_id":9,"error":"property unavailable"}"#)
        == .reply(id: 9, .failure(MpvRefusal("property unavailable"))))
    #expect(read(#"{"event":"playback-restart"}"#) == .event(.playbackRestart))
    #expect(
      read(#"{"event":"end-file","reason":"error","playlist_entry_id":3,"file_error":"no"}"#)
        == .event(.endFile(entry: 3, .error, error: "no")))
    #expect(
      read(#"{"event":"end-file","reason":"new one"}"#)
        == .event(.endFile(entry: nil, .unknown, error: "")))
    #expect(
      read(#"{"event":"property-change","name":"chapter"}"#)
        == .event(.propertyChange("chapter", .null)))
    #expect(read(#"{"event":"property-change"}"#) == .event(.other))
    let deep = String(repeating: "[", count: 5000)
    for line in ["", "{}", "[]", "5", "\u{0}", #"{"request_id":1}"#, #"{"error":"success"}"#, deep]
    {
      #expect(read(line) == nil, "\(line.prefix(30))")
    }
    #expect(MpvRefusal(String(repeating: "x", count: 5000)).text.utf8.count <= 200)
    #expect(
      MpvMessage.request(4, ["seek", 1.5, "absolute"])
        == Array(#"{"command":["seek",1.5,"absolute"],"request_id":4}"#.utf8) + [10])
  }

  @Test("reads a reply that is not UTF-8 as Latin-1, as in the tags of old films")
  func latin1() {
    let reply = #"{"data":"Título señal","request_id":3,"error":"success"}"#
    let bytes = reply.unicodeScalars.map { UInt8($0.value) }
    #expect(bytes.contains(0xED) && bytes.contains(0xF1))
    #expect(MpvMessage(line: bytes) == .reply(id: 3, .success("Título señal")))
    #expect(MpvMessage(line: reply.utf8) == .reply(id: 3, .success("Título señal")))
    #expect(MpvMessage(line: bytes.dropLast()) == nil, "it is not JSON")
  }

  @Test(
    "matches replies to requests in any order; fails at a timeout and at the end of the connection")
  func link() async throws {
    let clock = ManualClock()
    let (ours, mpv) = InMemoryConnection.pair()
    let link = MpvLink(ours, clock: clock)
    mpv.start { _ in }
    let first = Task { try await link.ask(["a"]) }
    #expect(await eventually { clock.sleeperCount == 1 })
    let second = Task { try await link.ask(["b"]) }
    #expect(await eventually { clock.sleeperCount == 2 })
    try mpv.send(Array(#"{"request_id":2,"error":"success","data":"two"}"#.utf8 + [10]))
    try mpv.send(Array(#"{"request_id":1,"error":"no"}"#.utf8 + [10]))
    #expect(try await second.value == "two")
    await #expect(throws: MpvFailure.refused(MpvRefusal("no"))) { try await first.value }
    let silent = Task { try await link.ask(["c"]) }
    #expect(await eventually { clock.sleeperCount == 1 })
    clock.advance(by: .seconds(3))
    await #expect(throws: MpvFailure.timeout) { try await silent.value }
    let last = Task { try await link.ask(["d"]) }
    #expect(await eventually { clock.sleeperCount == 1 })
    mpv.closeSending()
    await #expect(throws: MpvFailure.closed) { try await last.value }
    await #expect(throws: MpvFailure.closed) { try await link.ask(["e"]) }
  }

  /// Makes a connection that has received `lines` before an event is read from it.
  private func link(_ lines: [String], clock: any TheaterClock) throws -> (
    MpvLink, mpv: InMemoryConnection
  ) {
    let (ours, mpv) = InMemoryConnection.pair()
    let link = MpvLink(ours, clock: clock)
    mpv.start { _ in }
    for line in lines { try mpv.send(Array(line.utf8) + [10]) }
    return (link, mpv)
  }

  @Test("keeps the end of a film behind thousands of unread log lines and property values")
  func unreadEvents() async throws {
    let noise = (1...5000).flatMap { number in
      [
        #"{"event":"log-message","prefix":"ffmpeg","text":"error \#(number)"}"#,
        #"{"event":"property-change","name":"chapter","data":\#(number)}"#,
      ]
    }
    let (link, mpv) = try link(
      noise + [#"{"event":"end-file","reason":"eof","playlist_entry_id":1}"#],
      clock: ManualClock())
    mpv.closeSending()
    await #expect(throws: MpvFailure.closed) { try await link.ask(["a"]) }
    var events: [MpvEvent] = []
    for await event in link.events { events.append(event) }
    #expect(events.last == .endFile(entry: 1, .eof, error: ""))
    #expect(events.contains(.propertyChange("chapter", 5000)))
    #expect(events.count { if case .propertyChange = $0 { true } else { false } } == 1)
  }

  @Test("closes the connection when 4,096 events wait that must not be dropped")
  func tooManyEvents() async throws {
    let (link, mpv) = try link(
      Array(repeating: #"{"event":"playback-restart"}"#, count: 5000), clock: SystemClock())
    await #expect(throws: MpvFailure.closed) { try await link.ask(["a"], within: .seconds(60)) }
    mpv.closeSending()
  }

  @Test("leaves no folder behind when the files of the sound cable cannot be written")
  func cableFolder() throws {
    let folder = try TemporaryFolder()
    // The path leaves room for the private folder, but not for the files in it: a path has at most 4,095 bytes.
    var parent = folder.path
    while parent.utf8.count < 4060 {
      parent += "/" + String(repeating: "x", count: min(200, 4064 - parent.utf8.count))
      try #require(mkdir(parent, 0o700) == 0)
    }
    #expect(throws: SystemError.self) {
      try SoundCable(module: "/none", parents: [parent]) {}
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == [])
  }

  @Test("removes the folder of the sound cable at once when it is closed, and writes no file later")
  func closedCable() throws {
    let folder = try TemporaryFolder()
    let cable = try SoundCable(module: "/none", parents: [folder.path]) {}
    try cable.plug(CableSocket(path: "/none", token: String(repeating: "0", count: 64)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    cable.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    try cable.plug(CableSocket(path: "/none", token: String(repeating: "1", count: 64)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test(
    "limits consecutive restarts, with growing waits, and counts again from 0 after 20 s without one"
  )
  func restarts() {
    var limit = RestartLimit()
    let waits = (1...4).map { limit.restart(at: .seconds($0)) }
    #expect(waits == [.zero, .milliseconds(100), .milliseconds(200), nil])
    #expect(limit.restart(at: .seconds(60)) == .zero)
  }

  @Test(
    "advances the position while playing, up to the duration, but not while mpv waits or hangs")
  func positions() {
    var record = PlayerRecord()
    record.facts.duration = 10
    record.setStatus(.playing, at: 2, now: .seconds(100))
    #expect(record.position(at: .seconds(103)) == 5)
    #expect(record.position(at: .seconds(300)) == 10)
    record.resetToReportedPosition(now: .seconds(101))
    #expect(record.position(at: .seconds(101)) == 2)
    record.isStalled = true
    #expect(record.playback(at: .seconds(104)).status == .opening)
    #expect(record.position(at: .seconds(104)) == 2)
    record.setStatus(.paused, at: -3, now: .seconds(110))
    #expect(record.position(at: .seconds(120)) == 0)
  }

  @Test("keeps what mpv's events say about the present medium, and ignores those of earlier ones")
  func entries() {
    var entry = MpvEntry()
    entry.beginOpening()
    entry.load(1)
    #expect(entry.handle(.fileLoaded) == .loaded && entry.isLoaded)
    #expect(entry.handle(.playbackRestart) == .playing && entry.isPlaying)
    #expect(entry.handle(.propertyChange("paused-for-cache", true)) == .stalled(true))
    #expect(entry.handle(.propertyChange("chapter", 2)) == .chapter)
    #expect(entry.handle(.endFile(entry: 1, .eof, error: "")) == .ended && entry.hasEnded)
    entry.beginOpening()
    #expect(!entry.isLoaded && !entry.isPlaying && !entry.hasEnded)
    entry.load(2)
    #expect(entry.handle(.endFile(entry: 1, .error, error: "late")) == nil)
    #expect(entry.handle(.log("video_out/x11: no display")) == nil)
    #expect(entry.handle(.endFile(entry: 2, .error, error: "x")) == .failed(entry.noPicture))
    #expect(entry.noPicture.contains("no display") && entry.failure == entry.noPicture)
  }

  @Test("ignores the end of a medium whose number became known only after it was replaced")
  func replacedEntry() {
    var entry = MpvEntry()
    entry.beginOpening()
    entry.beginOpening()
    entry.ignore(7)
    #expect(entry.handle(.endFile(entry: 7, .error, error: "late")) == nil)
    entry.load(8)
    #expect(entry.handle(.endFile(entry: 8, .eof, error: "")) == .ended)
  }

  @Test("finds the beginnings of the next and the previous chapter")
  func chapters() {
    var facts = MediaFacts()
    #expect(facts.chapterStep(1, from: 5) == nil)
    facts.chapters = [0, 10, 20].map { MediaFacts.Chapter(title: nil, begin: $0) }
    #expect(facts.chapterStep(1, from: 5) == .begin(10))
    #expect(facts.chapterStep(-1, from: 15) == .begin(10))
    #expect(facts.chapterStep(-1, from: 11) == .begin(0))
    #expect(facts.chapterStep(-1, from: 1) == .begin(0))
    #expect(facts.chapterStep(1, from: 25) == .behindLast)
  }

  @Test("rejects options out of range, so that none becomes another argument of mpv")
  func options() throws {
    for (key, value) in [
      ("videoOutput", "gpu,caca"), ("hardwareDecoding", "x --script=a"),
      ("audioLanguages", ["en,--x"]), ("subtitleLanguages", ["e"]), ("channels", 5),
      ("drive", "a\nb"), ("folders", "x"), ("fullScreen", "yes"),
      ("streams", "x"), ("screen", 32), ("screen", "left"),
      ("streams", [["name": "a", "url": "http://h/1"], ["name": "a", "url": "http://h/2"]]),
      ("streams", [["name": "a", "url": "file:///etc/passwd"]]),
      ("streams", [["name": "a", "url": "http://x/ y"]]),
    ] as [(String, JSON)] {
      #expect(throws: DeviceError.self, "\(key)") { try MpvOptions([key: value]) }
    }
    let options = try MpvOptions([
      "audioLanguages": ["en", "pt-BR"], "screen": 1, "channels": "stereo", "audioDevice": "hdmi:0",
    ])
    let arguments = options.arguments(hasDisplay: true, device: "hdmi:0")
    #expect(arguments.allSatisfy { $0.hasPrefix("--") })
    for argument in [
      "--alang=en,eng,pt-BR,pt,por,pob", "--fs-screen=1", "--audio-channels=stereo",
      "--vo=gpu,x11,wlshm",
      "--audio-device=alsa/hdmi:0", "--sid=no",
    ] {
      #expect(arguments.contains(argument), "\(argument)")
    }
    #expect(options.arguments(hasDisplay: false, device: "x").contains("--vo=null"))
  }

  @Test("prefers the graphics card also without a desktop, and uses the decoder of the options")
  func outputs() throws {
    func arguments(_ options: JSON) throws -> [String] {
      try MpvOptions(options).arguments(hasDisplay: true, device: "x")
    }
    let drm = try arguments(["videoOutput": "drm", "display": "HDMI-A-1"])
    for argument in ["--vo=gpu,drm", "--gpu-context=drm", "--drm-connector=HDMI-A-1"] {
      #expect(drm.contains(argument), "\(argument)")
    }
    let second = try arguments(["videoOutput": "drm", "display": "card1-HDMI-A-1"])
    #expect(second.contains("--drm-device=/dev/dri/card1"))
    #expect(second.contains("--drm-connector=HDMI-A-1"))
    #expect(try arguments([:]).contains("--hwdec=auto-safe"))
    for decoding in ["no", "vaapi", "vdpau", "nvdec", "drm"] {
      #expect(
        try arguments(["hardwareDecoding": .string(decoding)]).contains("--hwdec=\(decoding)"))
    }
    #expect(MediaFacts.hardwareDecoder("vaapi-copy") == "vaapi-copy")
    #expect(MediaFacts.hardwareDecoder("no") == nil)
  }

  /// The manifest of the plugin.
  private func manifest() throws -> JSON {
    let file = Program.project.appending(path: "Plugins/MpvPlayer/manifest.json")
    return try JSON(parsing: String(contentsOf: file, encoding: .utf8))
  }

  @Test("accepts each of the 12 video outputs in the manifest")
  func manifestOutputs() throws {
    let options = try manifest()["roles"]?["dvdPlayer"]?["options"]?["properties"]
    let outputs = try #require(options?["videoOutput"]?["enum"]?.array)
    #expect(outputs.count == 12)
    for output in outputs { _ = try MpvOptions(["videoOutput": output]) }
  }

  @Test("lists in its manifest each environment variable that mpv needs, such as XAUTHORITY")
  func variables() throws {
    let names = try #require(try manifest()["environment"]?.array?.compactMap(\.string))
    #expect(names.contains("XAUTHORITY"))
    #expect(Set(MpvSetup.variableNames).isSubset(of: names))
  }

  @Test("looks for all codes of a language, the given one first")
  func languages() {
    #expect(LanguageCodes.synonyms(of: "de") == ["de", "deu", "ger"])
    #expect(LanguageCodes.synonyms(of: "GER") == ["GER", "de", "deu"])
    #expect(LanguageCodes.synonyms(of: "pt-BR") == ["pt-BR", "pt", "por", "pob"])
    #expect(LanguageCodes.synonyms(of: "tlh") == ["tlh"])
  }

  @Test("recognizes images by their names, and DVD folders by their index files")
  func files() {
    #expect(MediaFiles.title(of: "a/The_Night.Ferry.mkv") == "The Night.Ferry")
    #expect(MediaFiles.title(of: "a/Disc One") == "Disc One")
    #expect(FilmFiles.discFolder(ofIndex: "a/Ferry/VIDEO_TS/VIDEO_TS.IFO") == "a/Ferry")
    #expect(FilmFiles.discFolder(ofIndex: "a/Ferry/Video_TS/Video_ts.ifo") == "a/Ferry")
    #expect(FilmFiles.discFolder(ofIndex: "a/Ferry/VIDEO_TS.IFO") == "a/Ferry")
    #expect(FilmFiles.discFolder(ofIndex: "a/Ferry/BDMV/index.bdmv") == "a/Ferry")
    #expect(FilmFiles.discFolder(ofIndex: "a/b.mkv") == nil)
    #expect(MediaFiles.isImage("x.ISO") && !MediaFiles.isImage("x.mkv"))
  }
}
