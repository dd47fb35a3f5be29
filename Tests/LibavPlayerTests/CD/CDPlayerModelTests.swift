import Devices
import JSON
import MediaFolders
import Platform
import PluginProtocol
import Testing

@testable import LibavPlayer

/// A model with a simulated engine: the sound and the time are set by the test.
private struct ModelBench {
  var model = CDPlayerModel()
  var sound = SoundState()
  var now = Duration.zero
  private(set) var effects: [CDPlayerModel.Effect] = []

  static let songs = ["d/1", "d/2", "d/3"].map { PlayableSong(item: $0, path: "/music/\($0)") }

  init(isOn: Bool = true) {
    effects = model.open(at: now)
    sound.order = Self.songs
    if isOn { begin(.on) }
  }

  mutating func begin(_ command: CDPlayerCommand) {
    effects = model.begin(command, sound, at: now)
  }

  mutating func abandon() { effects = model.abandon(sound, at: now) }

  mutating func answer(_ answer: CDPlayerModel.Answer, to generation: Int) {
    effects = model.handle(answer, to: generation, sound, at: now)
  }

  mutating func handle(_ event: PlaybackEvent) { effects = model.handle(event, sound, at: now) }

  mutating func pausedSound(at place: Place?) {
    effects = model.soundPaused(at: place, sound, at: now)
  }

  mutating func drained(_ section: UInt32) { effects = model.drained(section, sound, at: now) }

  mutating func tick(at time: Duration) {
    now = time
    effects = model.tick(sound, at: now)
  }

  /// The generation of the last effect that is a request.
  var generation: Int? {
    effects.compactMap { effect in
      switch effect {
      case .find(_, let number), .findFirstSong(let number), .listDisc(_, let number),
        .open(_, _, let number):
        number
      default: nil
      }
    }.last
  }

  /// The playback reports among the last effects.
  var reports: [Playback] {
    effects.compactMap { if case .report(let playback) = $0 { playback } else { nil } }
  }

  /// The error with which the command ended; nil while it has not, or for success.
  var failure: DeviceError? {
    effects.compactMap { if case .finish(let error) = $0 { error } else { nil } }.first
  }

  static func place(_ index: Int, at seconds: Double = 0) -> Place {
    Place(song: songs[index], seconds: seconds, duration: 60)
  }

  /// Plays a song and sets its place as the heard one.
  mutating func play(_ index: Int, at seconds: Double = 0) throws {
    begin(.play(PlayRequest(item: Self.songs[index].item, position: seconds)))
    answer(.found(.success(Self.songs[index])), to: try #require(generation))
    let opening = try #require(generation)
    sound.place = Self.place(index, at: seconds)
    sound.newest = Self.songs[index]
    sound.remaining = .seconds(1)
    answer(.opened(.success(Self.place(index, at: seconds))), to: opening)
  }
}

@Suite("The model of the CD player")
struct CDPlayerModelTests {
  private typealias Effect = CDPlayerModel.Effect
  private let broken = MediaFailure(.corrupt, subject: "d/2", detail: "it is damaged")

  @Test("Refuses all commands but on and off while it is off")
  func off() throws {
    var bench = ModelBench(isOn: false)
    for command in [CDPlayerCommand.play(PlayRequest()), .pause, .next, .eject, .seek(3)] {
      bench.begin(command)
      #expect(bench.failure?.code == .notNow)
    }
    bench.begin(.off)
    #expect(bench.effects.last == .finish(nil))
  }

  @Test("Finds, opens and reports a song, in this order, and then ends the command")
  func play() throws {
    var bench = ModelBench()
    bench.begin(.play(PlayRequest(item: "d/1", position: 7)))
    #expect(bench.effects == [.find("d/1", generation: try #require(bench.generation))])
    bench.answer(.found(.success(ModelBench.songs[0])), to: try #require(bench.generation))
    #expect(bench.reports == [Playback(.opening, item: "d/1", position: 7)])
    #expect(bench.failure == nil)
    bench.answer(.opened(.success(ModelBench.place(0, at: 7))), to: try #require(bench.generation))
    #expect(
      bench.effects == [
        .resumeSound, .report(Playback(.playing, item: "d/1", position: 7, duration: 60)),
        .finish(nil),
      ])
  }

  @Test("A stop drops the answers that come after it")
  func lateAnswers() throws {
    var bench = ModelBench()
    bench.begin(.play(PlayRequest(item: "d/1")))
    let finding = try #require(bench.generation)
    bench.begin(.stop)
    bench.answer(.found(.success(ModelBench.songs[0])), to: finding)
    #expect(bench.effects == [])
    bench.begin(.play(PlayRequest(item: "d/1")))
    bench.answer(.found(.success(ModelBench.songs[0])), to: try #require(bench.generation))
    let opening = try #require(bench.generation)
    bench.begin(.stop)
    #expect(bench.effects.first == .cancelOpening)
    bench.answer(.opened(.success(ModelBench.place(0))), to: opening)
    #expect(bench.effects == [])
    #expect(bench.model.status == .stopped)
  }

  @Test("Of two play commands, the answer to the first one changes nothing")
  func replaced() throws {
    var bench = ModelBench()
    bench.begin(.play(PlayRequest(item: "d/1")))
    let first = try #require(bench.generation)
    bench.begin(.play(PlayRequest(item: "d/2")))
    let second = try #require(bench.generation)
    bench.answer(.found(.success(ModelBench.songs[0])), to: first)
    #expect(bench.effects == [])
    bench.answer(.found(.success(ModelBench.songs[1])), to: second)
    #expect(bench.reports.map(\.item) == ["d/2"])
  }

  @Test("A cancelled play stops the sound; a cancelled skip pauses the song at its place")
  func cancelled() throws {
    var bench = ModelBench()
    bench.begin(.play(PlayRequest(item: "d/1")))
    bench.answer(.found(.success(ModelBench.songs[0])), to: try #require(bench.generation))
    bench.abandon()
    #expect(bench.effects.first == .cancelOpening && bench.model.status == .stopped)
    try bench.play(0)
    bench.sound.place = ModelBench.place(0, at: 12)
    bench.begin(.next)
    let opening = try #require(bench.generation)
    bench.abandon()
    #expect(
      bench.effects == [
        .cancelOpening, .pauseSound, .stopSound,
        .report(Playback(.paused, item: "d/1", position: 12, duration: 60)),
      ])
    bench.answer(.opened(.success(ModelBench.place(1))), to: opening)
    #expect(bench.effects == [])
    // The sound was dropped, so the song is opened again.
    bench.begin(.play(PlayRequest()))
    #expect(bench.effects.last == .open(ModelBench.songs[0], seconds: 12, generation: opening + 2))
  }

  @Test("Pause reports the place at which the sound stopped, and play resumes there")
  func pause() throws {
    var bench = ModelBench()
    try bench.play(0)
    bench.begin(.pause)
    #expect(bench.effects == [.pauseSound])
    bench.pausedSound(at: ModelBench.place(0, at: 9))
    #expect(
      bench.effects == [
        .report(Playback(.paused, item: "d/1", position: 9, duration: 60)), .finish(nil),
      ])
    bench.begin(.play(PlayRequest()))
    #expect(
      bench.effects == [
        .resumeSound, .report(Playback(.playing, item: "d/1", position: 9, duration: 60)),
        .finish(nil),
      ])
  }

  @Test("A skip passes over a song that cannot be opened, and fails at the last one")
  func skip() throws {
    var bench = ModelBench()
    try bench.play(0)
    bench.begin(.next)
    bench.answer(.opened(.failure(broken)), to: try #require(bench.generation))
    #expect(bench.effects.first == .log(.warning, "left out: d/2: it is damaged"))
    let last = try #require(bench.generation)
    #expect(bench.effects.last == .open(ModelBench.songs[2], seconds: 0, generation: last))
    bench.answer(.opened(.failure(broken)), to: last)
    #expect(bench.model.status == .failed)
    #expect(bench.failure?.code == .failed)
    #expect(bench.reports.last?.reason == "d/2: it is damaged")
  }

  @Test("Previous begins the song again after its first three seconds, else the song before")
  func previous() throws {
    var bench = ModelBench()
    try bench.play(1)
    bench.sound.place = ModelBench.place(1, at: 3.5)
    bench.begin(.previous)
    #expect(
      bench.effects == [
        .open(ModelBench.songs[1], seconds: 0, generation: try #require(bench.generation))
      ])
    bench.sound.place = ModelBench.place(1, at: 0)
    bench.answer(.opened(.success(ModelBench.place(1))), to: try #require(bench.generation))
    bench.begin(.previous)
    #expect(
      bench.effects == [
        .open(ModelBench.songs[0], seconds: 0, generation: try #require(bench.generation))
      ])
  }

  @Test("A skip on an unknown disc waits for its list")
  func unknownDisc() throws {
    var bench = ModelBench()
    bench.sound.order = []
    try bench.play(0)
    bench.begin(.next)
    let list = try #require(bench.generation)
    #expect(bench.effects == [.listDisc(ModelBench.songs[0], generation: list)])
    bench.answer(.listed(.success(ModelBench.songs)), to: list)
    #expect(bench.effects.first == .setOrder(ModelBench.songs))
    #expect(
      bench.effects.last
        == .open(ModelBench.songs[1], seconds: 0, generation: try #require(bench.generation)))
  }

  @Test("Reports the position every five seconds, and the next song when it is heard")
  func time() throws {
    var bench = ModelBench()
    try bench.play(0)
    bench.tick(at: .seconds(4))
    #expect(bench.reports == [])
    bench.sound.place = ModelBench.place(0, at: 5)
    bench.tick(at: .seconds(5))
    #expect(bench.reports == [Playback(.playing, item: "d/1", position: 5, duration: 60)])
    bench.sound.newest = ModelBench.songs[1]
    bench.handle(.nextSong(ModelBench.songs[1]))
    #expect(bench.reports == [])
    #expect(bench.model.deadline == .milliseconds(5_050))
    bench.sound.place = ModelBench.place(1, at: 0)
    bench.tick(at: .milliseconds(5_050))
    #expect(
      bench.reports == [
        Playback(.playing, item: "d/1", position: 60, duration: 60, rate: 0),
        Playback(.playing, item: "d/2", position: 0, duration: 60),
      ])
  }

  @Test("Says opening while no sound comes, and playing when it comes again")
  func noSound() throws {
    var bench = ModelBench()
    try bench.play(0)
    bench.sound.remaining = .zero
    bench.tick(at: .zero)
    bench.tick(at: .milliseconds(600))
    #expect(bench.reports.map(\.status) == [.opening])
    #expect(bench.reports.first?.reason?.contains("no sound comes") == true)
    bench.sound.remaining = .seconds(1)
    bench.tick(at: .milliseconds(900))
    #expect(bench.reports.map(\.status) == [.playing])
  }

  @Test("Ends the disc when its last section was heard, also if that is known before the answer")
  func ended() throws {
    var bench = ModelBench()
    try bench.play(2)
    bench.sound.lastSection = 4
    bench.drained(3)
    #expect(bench.effects == [])
    bench.drained(4)
    #expect(bench.reports == [Playback(.ended, item: "d/3", position: 60, duration: 60)])
    #expect(bench.model.deadline == nil)
  }

  @Test("A file that ended too early is reported as failed at its end, and the next song plays")
  func earlyEnd() throws {
    var bench = ModelBench()
    try bench.play(0)
    let cut = MediaFailure(.corrupt, subject: "d/1", detail: "the file is cut off")
    bench.sound.earlyEnds = [EarlyEnd(song: ModelBench.songs[0], seconds: 20, failure: cut)]
    bench.sound.newest = ModelBench.songs[1]
    bench.sound.place = ModelBench.place(1)
    bench.tick(at: .seconds(1))
    #expect(
      bench.reports == [
        Playback(
          .failed, item: "d/1", position: 20, duration: 60, reason: "d/1: the file is cut off"),
        Playback(.playing, item: "d/2", position: 0, duration: 60),
      ])
  }

  @Test("A last file that ended too early stays failed at its end, and play tries it again there")
  func lastEarlyEnd() throws {
    var bench = ModelBench()
    try bench.play(2)
    let cut = MediaFailure(.corrupt, subject: "d/3", detail: "the file is cut off")
    bench.sound.earlyEnds = [EarlyEnd(song: ModelBench.songs[2], seconds: 20, failure: cut)]
    bench.sound.lastSection = 1
    bench.drained(1)
    #expect(
      bench.reports == [
        Playback(
          .failed, item: "d/3", position: 20, duration: 60, reason: "d/3: the file is cut off")
      ])
    bench.begin(.play(PlayRequest()))
    #expect(
      bench.effects.last
        == .open(ModelBench.songs[2], seconds: 20, generation: try #require(bench.generation)))
  }
}
