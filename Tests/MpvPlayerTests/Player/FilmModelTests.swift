import Devices
import JSON
import Platform
import Testing

@testable import MpvPlayer

/// The state machine of a player, without mpv: commands, events, answers and times go in, and effects come out.
@Suite("MpvPlayer: model")
struct FilmModelTests {
  /// A model, its time and its effects.
  struct Bench {
    var model: FilmModel
    var now = Duration.seconds(100)
    /// The effects of the last input.
    var effects: [FilmModel.Effect] = []
    /// All reports, oldest first.
    var reports: [Playback] = []

    init(isCD: Bool = false) {
      model = FilmModel(isCD: isCD, audioDevice: "the cable") { _ in nil }
    }

    mutating func input(_ body: (inout FilmModel, Duration) -> [FilmModel.Effect]) {
      effects = body(&model, now)
      for case .report(let playback) in effects { reports.append(playback) }
    }

    mutating func answer(_ answer: FilmModel.Answer, to ticket: Int? = nil) {
      let ticket = ticket ?? model.ticket
      input { $0.handle(answer, to: ticket, at: $1) }
    }

    mutating func event(_ event: MpvEvent) { input { $0.handle(event, at: $1) } }

    mutating func pass(_ time: Duration) {
      now += time
      input { $0.tick(at: $1) }
    }

    /// The requests of the last input.
    var requests: [FilmModel.Request] {
      effects.compactMap { if case .ask(_, let request) = $0 { request } else { nil } }
    }

    /// The results of commands among the last effects.
    var results: [Result<Void, DeviceError>] {
      effects.compactMap { if case .finish(let result) = $0 { result } else { nil } }
    }

    var isFinished: Bool { if case .success? = results.first { true } else { false } }
    var error: DeviceError? { if case .failure(let error)? = results.first { error } else { nil } }
    /// Whether the last effect examines the file of a medium that has ended.
    var inspects: Bool { if case .inspect? = requests.last { true } else { false } }
    var kills: Bool { effects.contains(.kill) }

    /// Begins to play a film, up to the request that loads it.
    mutating func begin(_ name: String = "red", at seconds: Double = 0, isPaused: Bool = false) {
      let start = FilmModel.Start(
        medium: .film(name), seconds: seconds, isPaused: isPaused)
      input { $0.play(start, at: $1) }
    }

    /// Goes on with an opening until the medium plays.
    mutating func open(number: Int = 1, at seconds: Double = 0) {
      answer(.opened(number))
      event(.fileLoaded)
      answer(.facts(.film))
      event(.propertyChange("current-ao", "alsa"))
      event(.playbackRestart)
      answer(.outputs(.film, isWithoutSound: false, isWithoutPicture: false))
      answer(.settled(seconds))
    }

    mutating func play(_ name: String = "red", number: Int = 1, at seconds: Double = 0) {
      begin(name, at: seconds)
      open(number: number, at: seconds)
    }
  }

  @Test("opens a film step by step, and finishes the command when it plays")
  func opens() {
    var bench = Bench()
    bench.begin(at: 3)
    #expect(bench.requests == [.open(.init(medium: .film("red"), seconds: 3))])
    #expect(bench.reports.last?.status == .opening && bench.results.isEmpty)
    bench.answer(.opened(1))
    bench.event(.fileLoaded)
    #expect(bench.requests == [.readFacts(.film("red"))])
    bench.answer(.facts(.film))
    bench.event(.playbackRestart)
    #expect(bench.requests == [.checkOutputs(.film)])
    bench.answer(.outputs(.film, isWithoutSound: false, isWithoutPicture: false))
    #expect(bench.requests == [.settle(pauses: false)])
    bench.answer(.settled(3.1))
    #expect(bench.isFinished)
    #expect(bench.reports.last?.status == .playing && bench.reports.last?.position == 3.1)
  }

  @Test("opens a film whose events arrive before the answer to its loading")
  func earlyEvents() {
    var bench = Bench()
    bench.begin()
    bench.event(.fileLoaded)
    bench.event(.playbackRestart)
    bench.event(.endFile(entry: 1, .eof, error: ""))
    bench.answer(.opened(1))
    #expect(bench.requests == [.checkOutputs(MediaFacts())])
    bench.answer(.outputs(.film, isWithoutSound: true, isWithoutPicture: true))
    bench.answer(.settled(nil))
    #expect(bench.isFinished)
    #expect(bench.reports.last?.status == .playing)
    #expect(bench.inspects)
    bench.answer(.inspected(.init()))
    #expect(bench.requests == [.waitForSilence])
  }

  @Test("ignores the answers to an opening that a newer one or a stop has replaced")
  func lateAnswers() {
    for answer: FilmModel.Answer in [
      .opened(1), .facts(.film), .settled(9), .lost(.timeout), .failed("late"),
      .noPosition(.timeout), .paused(3), .notPaused(.timeout), .resumed, .notResumed(.closed),
      .outputs(.film, isWithoutSound: true, isWithoutPicture: true), .stopped, .silent,
    ] {
      var bench = Bench()
      bench.begin("red")
      let old = bench.model.ticket
      bench.begin("blue")
      bench.answer(answer, to: old)
      #expect(bench.effects == [], "\(answer)")
      bench.open(number: 2)
      #expect(bench.reports.last?.item == "films/blue.mkv", "\(answer)")
      #expect(bench.reports.last?.status == .playing, "\(answer)")
      let playing = bench.model.ticket
      bench.input { model, _ in model.stop() }
      bench.answer(answer, to: playing)
      #expect(bench.effects == [], "\(answer)")
      bench.answer(.stopped)
      #expect(bench.isFinished && bench.reports.last?.status == .stopped, "\(answer)")
    }
  }

  @Test("hears the end of a film in a new process, which numbers its films from 1 again")
  func numbersOfNewProcess() {
    var bench = Bench()
    bench.play(number: 7)
    bench.begin("blue")
    let old = bench.model.ticket
    bench.input { $0.handleEndOfProcess(at: $1) }
    bench.answer(.opened(8), to: old)
    bench.open(number: 1)
    bench.event(.endFile(entry: 1, .eof, error: ""))
    bench.answer(.silent)
    #expect(bench.reports.last?.status == .ended)
  }

  @Test("fails a film without its sound or picture, after mpv has stopped it")
  func withoutOutput() {
    for (isWithoutSound, reason) in [(true, "the sound"), (false, "the picture")] {
      var bench = Bench()
      bench.begin()
      bench.answer(.opened(1))
      bench.event(.fileLoaded)
      bench.answer(.facts(.film))
      bench.event(.playbackRestart)
      bench.answer(
        .outputs(.film, isWithoutSound: isWithoutSound, isWithoutPicture: !isWithoutSound))
      #expect(bench.requests == [.stop] && bench.results.isEmpty)
      bench.answer(.stopped)
      #expect(bench.error?.message.contains(reason) == true)
      #expect(bench.reports.last?.status == .failed)
    }
  }

  @Test("gives up an opening after 25 s, and an mpv that does not answer meanwhile is killed")
  func slowOpening() {
    var bench = Bench()
    bench.begin()
    bench.answer(.opened(1))
    bench.event(.startFile(entry: 1))
    bench.pass(.milliseconds(300))
    #expect(bench.requests == [.position(within: .seconds(2))])
    bench.answer(.position(PositionAnswer()))
    bench.pass(.seconds(25))
    #expect(bench.requests == [.stop])
    bench.answer(.stopped)
    #expect(bench.error?.message.contains("within 25 s") == true)
    bench.begin()
    bench.answer(.opened(2))
    bench.event(.startFile(entry: 2))
    bench.pass(.milliseconds(300))
    bench.answer(.noPosition(.timeout))
    #expect(bench.kills && bench.requests.count == 1)
  }

  @Test("starts mpv anew if it does not leave the medium before within 2 s, although it answers")
  func keepsMedium() {
    var bench = Bench()
    bench.play(number: 5)
    bench.begin("blue")
    // The event of the medium before may come late.
    bench.event(.startFile(entry: 5))
    bench.answer(.opened(6))
    bench.pass(.milliseconds(1999))
    #expect(!bench.kills)
    bench.pass(.milliseconds(1))
    #expect(bench.kills && bench.requests.count == 1)
    bench.answer(.opened(1))
    bench.event(.startFile(entry: 1))
    bench.pass(.seconds(3))
    #expect(!bench.kills)
    bench.event(.fileLoaded)
    #expect(bench.requests == [.readFacts(.film("blue"))])
  }

  @Test("opens a film again at its position after a crash, a hang and a lost sound output")
  func recovers() {
    for fault in 0..<3 {
      var bench = Bench()
      bench.play(at: 30)
      bench.now += .milliseconds(300)
      switch fault {
      case 0: bench.input { $0.handleEndOfProcess(at: $1) }
      case 1:
        bench.pass(.zero)
        bench.answer(.noPosition(.timeout))
      default:
        bench.event(.propertyChange("current-ao", .null))
        for _ in 1...2 {
          bench.pass(.milliseconds(300))
          bench.answer(.position(PositionAnswer(seconds: 30.2)))
        }
      }
      #expect(bench.kills == (fault > 0))
      guard case .open(let start)? = bench.requests.last else {
        Issue.record("it is not opened again: \(bench.effects)")
        continue
      }
      #expect(abs(start.seconds - 30) < 1 && !start.isPaused)
      #expect(bench.reports.last?.status == .opening)
      bench.open(number: 1, at: start.seconds)
      #expect(bench.reports.last?.status == .playing)
    }
  }

  @Test("waits longer before each restart in a row, and fails after the third")
  func restartLimit() {
    var bench = Bench()
    bench.begin()
    bench.answer(.lost(.closed))
    #expect(bench.requests.count == 1)
    bench.answer(.lost(.closed))
    #expect(bench.requests.isEmpty)
    bench.pass(.milliseconds(100))
    #expect(bench.requests.count == 1)
    bench.answer(.lost(.closed))
    bench.pass(.milliseconds(200))
    bench.answer(.lost(.closed))
    #expect(bench.requests == [.stop])
    bench.answer(.stopped)
    #expect(bench.error?.message.contains("3 times") == true)
  }

  @Test("starts mpv anew for another film while it waits for data of the present one")
  func playWhileStalled() {
    var bench = Bench()
    bench.play(number: 5)
    bench.event(.propertyChange("paused-for-cache", true))
    #expect(bench.reports.last?.status == .opening)
    bench.begin("blue")
    #expect(bench.kills && bench.requests.count == 1)
    bench.open(number: 1)
    #expect(bench.reports.last?.status == .playing)
  }

  @Test("waits for a display that is gone only for a film that has played, and at most 10 minutes")
  func display() {
    var bench = Bench()
    bench.play(at: 30)
    bench.input { $0.handleEndOfProcess(at: $1) }
    func failToOpen(_ bench: inout Bench) {
      bench.answer(.opened(1))
      bench.event(.log("video_out/x11: no display"))
      bench.event(.endFile(entry: 1, .error, error: "no video"))
    }
    failToOpen(&bench)
    for _ in 1...5 {
      #expect(bench.kills && bench.requests.isEmpty)
      #expect(bench.reports.last?.status == .opening)
      #expect(bench.reports.last?.reason == "waiting for the display")
      bench.pass(.seconds(2))
      #expect(bench.requests.count == 1)
      failToOpen(&bench)
    }
    bench.pass(.seconds(600))
    failToOpen(&bench)
    #expect(bench.requests == [.stop])
    bench.answer(.stopped)
    #expect(bench.reports.last?.status == .failed)
    #expect(abs((bench.reports.last?.position ?? 0) - 30) < 1)
  }

  @Test("a film that breaks off fails with its position; one that gets no data for 10 min as well")
  func breaksOff() {
    var bench = Bench()
    bench.play(at: 20)
    bench.event(.log("ffmpeg: http: Stream ends prematurely at 5, should be 9"))
    bench.event(.endFile(entry: 1, .eof, error: ""))
    bench.answer(.inspected(.init()))
    #expect(bench.requests == [.stop])
    bench.answer(.stopped)
    #expect(bench.reports.last?.status == .failed && bench.reports.last?.position == 20)
    bench.play(at: 20)
    bench.event(.propertyChange("paused-for-cache", true))
    bench.pass(.milliseconds(300))
    bench.answer(.position(PositionAnswer(seconds: 20)))
    #expect(bench.effects == [])
    bench.pass(.seconds(601))
    bench.answer(.position(PositionAnswer(seconds: 20)))
    #expect(bench.requests == [.stop], "mpv would play on when data come again")
    bench.answer(.stopped)
    #expect(bench.reports.last?.status == .failed && bench.reports.last?.position == 20)
    #expect(bench.reports.last?.reason?.contains("10 minutes") == true)
  }

  @Test("pauses a film that is being opened again, and lets a play take the pause back")
  func pauseWhileOpening() {
    for step in 0..<4 {
      var bench = Bench()
      bench.play(at: 30)
      bench.input { $0.handleEndOfProcess(at: $1) }
      let inputs: [(inout Bench) -> Void] = [
        { $0.answer(.opened(1)) }, { $0.event(.fileLoaded) },
        {
          $0.answer(.facts(.film))
          $0.event(.playbackRestart)
        },
        { $0.answer(.outputs(.film, isWithoutSound: false, isWithoutPicture: false)) },
      ]
      for (index, input) in inputs.enumerated() {
        if index == step { bench.input { $0.pause(at: $1) } }
        if index == step { #expect(bench.isFinished) }
        input(&bench)
      }
      #expect(bench.requests == [.settle(pauses: true)], "\(step)")
      bench.answer(.settled(30))
      #expect(bench.reports.last?.status == .paused, "\(step)")
      #expect(!bench.reports.suffix(1).contains { $0.status == .playing })
    }
    var bench = Bench()
    bench.play(at: 30)
    bench.input { $0.handleEndOfProcess(at: $1) }
    bench.input { $0.pause(at: $1) }
    guard
      case .open(item: "films/red.mkv", let seconds) = bench.model.decide(
        PlayRequest(), at: bench.now)
    else {
      Issue.record("a play does not open the film again")
      return
    }
    #expect(abs(seconds - 30) < 1)
  }

  @Test("a pause while the next song is looked for pauses that song")
  func pauseBetweenSongs() {
    var bench = Bench(isCD: true)
    bench.play()
    bench.input { $0.pause(at: $1) }
    let pause = bench.model.ticket
    bench.event(.endFile(entry: 1, .eof, error: ""))
    #expect(bench.inspects)
    bench.answer(.inspected(.init()))
    #expect(bench.requests == [.findNext(item: "films/red.mkv")])
    bench.answer(.next(.film("blue")))
    bench.answer(.paused(nil), to: pause)
    #expect(bench.isFinished)
    bench.answer(.opened(2))
    bench.event(.fileLoaded)
    bench.answer(.facts(.film))
    bench.event(.playbackRestart)
    bench.answer(.outputs(.film, isWithoutSound: false, isWithoutPicture: false))
    #expect(bench.requests == [.settle(pauses: true)])
    bench.answer(.settled(0))
    #expect(bench.reports.last?.status == .paused && bench.reports.last?.item == "films/blue.mkv")
  }

  @Test("ends a seek at the next frame, at the end of the film, with a crash and after 6 s")
  func seeks() {
    var bench = Bench()
    bench.play()
    bench.input { $0.seek(to: 900, at: $1) }
    #expect(bench.requests == [.seek(60)], "the film lasts 60 s")
    bench.answer(.accepted)
    bench.event(.playbackRestart)
    bench.answer(.position(PositionAnswer(seconds: 59.5)))
    #expect(bench.isFinished && bench.reports.last?.position == 59.5)
    bench.input { $0.seek(to: 5, at: $1) }
    bench.pass(.seconds(6))
    #expect(bench.error?.message.contains("within 6 s") == true)
    bench.input { $0.seek(to: 5, at: $1) }
    bench.input { $0.handleEndOfProcess(at: $1) }
    #expect(bench.isFinished && bench.requests.count == 1)
    bench.open(number: 1, at: 5)
    bench.input { $0.seek(to: 60, at: $1) }
    bench.event(.endFile(entry: 1, .eof, error: ""))
    #expect(bench.isFinished && bench.inspects)
    bench.answer(.inspected(.init()))
    bench.answer(.silent)
    #expect(bench.reports.last?.status == .ended)
  }

  @Test("a failed film keeps its position, and a play opens it there again")
  func failure() {
    var bench = Bench()
    bench.play(at: 20)
    bench.event(.endFile(entry: 1, .error, error: "lost"))
    #expect(bench.reports.last?.status == .failed && bench.reports.last?.position == 20)
    #expect(bench.reports.last?.reason?.contains("lost") == true)
    #expect(
      bench.model.decide(PlayRequest(), at: bench.now)
        == .open(item: "films/red.mkv", seconds: 20))
  }

  @Test("asks for the position at once when a pause ends, and seldom during the pause")
  func polling() {
    var bench = Bench()
    bench.play()
    bench.input { $0.pause(at: $1) }
    bench.answer(.paused(1))
    bench.pass(.seconds(4))
    #expect(bench.requests.isEmpty)
    bench.input { $0.resume(at: $1) }
    #expect(bench.requests == [.resume])
    bench.answer(.resumed)
    bench.pass(.zero)
    #expect(bench.requests == [.position(within: .milliseconds(800))])
    bench.answer(.position(PositionAnswer(seconds: 1)))
    bench.pass(.milliseconds(300))
    #expect(
      bench.requests == [.position(within: .milliseconds(800))], "a hang is noticed within 1.1 s")
    bench.answer(.noPosition(.timeout))
    #expect(bench.kills && bench.requests.count == 1, "the film is opened again at once")
  }

  @Test("a cancelled play stops the film that it was opening, and nothing else")
  func cancels() {
    var bench = Bench()
    bench.begin()
    bench.input { model, _ in model.cancel() }
    #expect(bench.requests == [.stop])
    bench.answer(.stopped)
    #expect(bench.reports.last?.status == .stopped && bench.results.isEmpty)
    bench.play(number: 2)
    bench.input { $0.pause(at: $1) }
    bench.input { model, _ in model.cancel() }
    #expect(bench.effects == [])
  }
}

extension Medium {
  static func film(_ name: String) -> Medium {
    Medium(item: "films/\(name).mkv", source: .address("/films/\(name).mkv"))
  }
}

extension MediaFacts {
  /// The facts of a film of a minute with a picture and sound.
  static let film: MediaFacts = {
    var facts = MediaFacts()
    facts.duration = 60
    facts.isSeekable = true
    facts.tracks = ["video", "audio"].map {
      Track(
        kind: $0, codec: "x", language: nil, channels: nil, width: nil, height: nil,
        isCover: false, isSelected: true)
    }
    return facts
  }()
}
