import Devices
import JSON
import Platform
import PluginProtocol
import Testing

@testable import MpvPlayer

/// Requests that wait for mpv at the same time: each answer counts for its own request.
@Suite("MpvPlayer: answers of the model")
struct FilmAnswerTests {
  private typealias Bench = FilmModelTests.Bench

  /// A film that plays, and whose position was just asked for.
  private static func polled() -> Bench {
    var bench = Bench()
    bench.play(at: 30)
    bench.pass(.milliseconds(300))
    #expect(bench.requests == [.position(within: FilmModel.patience)])
    return bench
  }

  /// Expects that mpv is asked for the position again within 5 s.
  private static func expectPolls(_ bench: inout Bench, location: SourceLocation = #_sourceLocation)
  {
    bench.pass(.seconds(5))
    #expect(
      bench.requests == [.position(within: FilmModel.patience)], sourceLocation: location)
  }

  @Test("a slow mpv pauses, and is watched afterwards", arguments: [false, true])
  func slowPause(isLate: Bool) {
    var bench = Self.polled()
    bench.input { $0.pause(at: $1) }
    if isLate { bench.answer(.paused(31)) }
    if !isLate {
      bench.answer(.noPosition(.timeout))
      #expect(bench.effects == [])
      bench.answer(.paused(31))
    }
    #expect(bench.isFinished && bench.reports.last?.status == .paused)
    if isLate { bench.answer(.position(PositionAnswer(seconds: 31))) }
    Self.expectPolls(&bench)
    bench.answer(.noPosition(.timeout))
    #expect(bench.kills, "an mpv that hangs is noticed in a pause too")
  }

  @Test("a slow mpv goes on after a pause, and is not killed")
  func slowResume() {
    var bench = Bench()
    bench.play(at: 30)
    bench.input { $0.pause(at: $1) }
    bench.answer(.paused(30))
    bench.pass(.seconds(5))
    bench.input { $0.resume(at: $1) }
    bench.answer(.noPosition(.timeout))
    #expect(bench.effects == [])
    bench.answer(.resumed)
    #expect(bench.isFinished && bench.reports.last?.status == .playing)
    Self.expectPolls(&bench)
  }

  @Test("a pause fails if mpv does not carry it out, and the hang is noticed")
  func pauseFails() {
    for failure: MpvFailure in [.timeout, .closed] {
      var bench = Self.polled()
      bench.input { $0.pause(at: $1) }
      bench.answer(.noPosition(failure))
      #expect(bench.effects == [])
      bench.answer(.notPaused(failure))
      #expect(bench.error?.message.hasPrefix("mpv did not pause") == true)
      Self.expectPolls(&bench)
      bench.answer(.noPosition(.timeout))
      #expect(bench.kills)
    }
  }

  @Test("adopts a pause whose command was cancelled, also during a seek after it")
  func cancelledPause() {
    for seeks in [false, true] {
      var bench = Bench()
      bench.play(at: 30)
      bench.input { $0.pause(at: $1) }
      let pause = bench.model.ticket
      bench.input { model, _ in model.cancel() }
      if seeks { bench.input { $0.seek(to: 5, at: $1) } }
      bench.answer(.paused(30), to: pause)
      #expect(bench.reports.last?.status == .paused && bench.results.isEmpty)
      guard seeks else { continue }
      bench.event(.playbackRestart)
      bench.answer(.position(PositionAnswer(seconds: 5)))
      #expect(bench.isFinished && bench.reports.last?.status == .paused)
    }
  }

  @Test("a play after a cancelled pause takes it back, in whatever order the answers come")
  func playAfterCancelledPause() {
    for isReversed in [false, true] {
      var bench = Bench()
      bench.play(at: 30)
      bench.input { $0.pause(at: $1) }
      bench.input { model, _ in model.cancel() }
      #expect(bench.model.decide(PlayRequest(), at: bench.now) == .resume)
      bench.input { $0.resume(at: $1) }
      #expect(bench.requests == [.resume])
      if !isReversed { bench.answer(.paused(30)) }
      bench.answer(.resumed)
      #expect(bench.isFinished && bench.reports.last?.status == .playing)
      if isReversed { bench.answer(.paused(30)) }
      #expect(bench.reports.last?.status == .playing)
    }
  }

  @Test("adopts the end of a pause whose command was cancelled, during a seek after it")
  func cancelledResume() {
    var bench = Bench()
    bench.play(at: 30)
    bench.input { $0.pause(at: $1) }
    bench.answer(.paused(30))
    bench.input { $0.resume(at: $1) }
    let resume = bench.model.ticket
    bench.input { model, _ in model.cancel() }
    bench.input { $0.seek(to: 5, at: $1) }
    bench.answer(.resumed, to: resume)
    #expect(bench.reports.last?.status == .playing && bench.results.isEmpty)
  }

  @Test("a pause after a cancelled resume asks mpv, which may play already")
  func pauseAfterCancelledResume() {
    var bench = Bench()
    bench.play(at: 30)
    bench.input { $0.pause(at: $1) }
    bench.answer(.paused(30))
    bench.input { $0.resume(at: $1) }
    bench.input { model, _ in model.cancel() }
    bench.input { $0.pause(at: $1) }
    #expect(bench.requests == [.pause] && bench.results.isEmpty)
    bench.answer(.resumed)
    bench.answer(.paused(30))
    #expect(bench.isFinished && bench.model.record.status == .paused)
  }

  @Test("a crash during a resume opens the film again, and it plays", arguments: [false, true])
  func crashDuringResume(isAnsweredFirst: Bool) {
    var bench = Bench()
    bench.play(at: 30)
    bench.input { $0.pause(at: $1) }
    bench.answer(.paused(30))
    bench.input { $0.resume(at: $1) }
    let resume = bench.model.ticket
    if isAnsweredFirst { bench.answer(.notResumed(.closed)) }
    bench.input { $0.handleEndOfProcess(at: $1) }
    if !isAnsweredFirst { bench.answer(.notResumed(.closed), to: resume) }
    bench.open(number: 1, at: 30)
    #expect(bench.isFinished && bench.reports.last?.status == .playing)
  }

  @Test("a crash during a pause opens the film again, paused")
  func crashDuringPause() {
    var bench = Bench()
    bench.play(at: 30)
    bench.input { $0.pause(at: $1) }
    let pause = bench.model.ticket
    bench.input { $0.handleEndOfProcess(at: $1) }
    bench.answer(.notPaused(.closed), to: pause)
    #expect(bench.isFinished)
    bench.open(number: 1, at: 30)
    bench.answer(.settled(30))
    #expect(bench.reports.last?.status == .paused)
  }

  @Test("a pause does not swallow the failure of the next song, and fails if nothing was paused")
  func pauseBetweenSongs() {
    var bench = Bench(isCD: true)
    bench.play()
    bench.input { $0.pause(at: $1) }
    let pause = bench.model.ticket
    bench.event(.endFile(entry: 1, .eof, error: ""))
    bench.answer(.inspected(.init()))
    bench.answer(.failed("the folder does not answer"))
    #expect(bench.reports.last?.status == .failed)
    #expect(bench.reports.last?.reason == "the folder does not answer")
    bench.answer(.paused(nil), to: pause)
    #expect(bench.results.count == 1)
    bench.play(number: 2)
    bench.input { $0.pause(at: $1) }
    let second = bench.model.ticket
    bench.event(.endFile(entry: 2, .eof, error: ""))
    bench.answer(.notPaused(.timeout), to: second)
    #expect(bench.error?.message.hasPrefix("mpv did not pause") == true)
  }

  @Test("the end of a cancelled seek does not end the command after it")
  func cancelledSeek() {
    var bench = Bench()
    bench.play()
    bench.input { $0.seek(to: 5, at: $1) }
    bench.input { model, _ in model.cancel() }
    bench.input { $0.pause(at: $1) }
    let pause = bench.model.ticket
    bench.pass(.seconds(6))
    #expect(bench.results.isEmpty)
    bench.answer(.paused(5), to: pause)
    #expect(bench.isFinished && bench.reports.last?.status == .paused)
  }

  @Test("an opening fails with its own requests, not with a late answer about the position")
  func pollOfOpening() {
    var bench = Bench()
    bench.begin()
    bench.answer(.opened(1))
    bench.pass(.milliseconds(300))
    bench.event(.fileLoaded)
    bench.answer(.noPosition(.timeout))
    #expect(bench.effects == [])
    bench.answer(.facts(.film))
    bench.pass(.milliseconds(300))
    #expect(bench.requests == [.position(within: FilmModel.patienceWhileOpening)])
    bench.event(.playbackRestart)
    bench.answer(.outputs(.film, isWithoutSound: false, isWithoutPicture: false))
    bench.answer(.noPosition(.timeout))
    #expect(bench.results.isEmpty)
    bench.answer(.settled(0.1))
    #expect(bench.isFinished && bench.reports.last?.position == 0.1)
  }

  @Test("a pause ends the wait for data: a film that goes on afterwards does not fail")
  func pauseWhileStalled() {
    var bench = Bench()
    bench.play(at: 20)
    bench.event(.propertyChange("paused-for-cache", true))
    bench.input { $0.pause(at: $1) }
    bench.answer(.paused(20))
    bench.event(.propertyChange("paused-for-cache", false))
    bench.now += .seconds(700)
    bench.input { $0.resume(at: $1) }
    bench.answer(.resumed)
    bench.pass(.milliseconds(300))
    bench.answer(.position(PositionAnswer(seconds: 20.3)))
    #expect(bench.model.record.status == .playing && bench.requests.isEmpty)
  }

  @Test("mpv is told to stop whenever a medium has ended, failed or was stopped")
  func everyEndStops() {
    let ends: [(name: String, body: (inout Bench) -> Void)] = [
      ("a stop", { $0.input { model, _ in model.stop() } }),
      ("an error of mpv", { $0.event(.endFile(entry: 1, .error, error: "lost")) }),
      (
        "no data",
        {
          $0.event(.propertyChange("paused-for-cache", true))
          $0.now += .seconds(601)
          $0.answer(.position(PositionAnswer(seconds: 1)))
        }
      ),
      (
        "too many crashes",
        {
          for _ in 0...RestartLimit.most {
            $0.pass(.seconds(1))
            $0.input { $0.handleEndOfProcess(at: $1) }
          }
        }
      ),
      (
        "the end",
        {
          $0.event(.endFile(entry: 1, .eof, error: ""))
          $0.answer(.inspected(.init()))
          if $0.model.isCD { $0.answer(.next(nil)) }
          $0.answer(.silent)
        }
      ),
      (
        "a read error",
        {
          $0.event(.log("ffmpeg: read error"))
          $0.event(.endFile(entry: 1, .eof, error: ""))
          $0.answer(.inspected(.init()))
        }
      ),
      (
        "no next song",
        {
          $0.event(.endFile(entry: 1, .eof, error: ""))
          $0.answer(.inspected(.init()))
          $0.answer(.failed("it is gone"))
        }
      ),
    ]
    let stages: [(name: String, body: (inout Bench) -> Void)] = [
      ("playing", { _ in }), ("seeking", { $0.input { $0.seek(to: 5, at: $1) } }),
      (
        "paused",
        {
          $0.input { $0.pause(at: $1) }
          $0.answer(.paused(1))
        }
      ),
      ("pausing", { $0.input { $0.pause(at: $1) } }),
    ]
    for isCD in [false, true] {
      for stage in stages {
        for end in ends where isCD || end.name != "no next song" {
          // A paused or seeking film does not wait for data.
          if end.name == "no data", stage.name != "playing" { continue }
          var bench = Bench(isCD: isCD)
          bench.play()
          stage.body(&bench)
          end.body(&bench)
          let name: Comment = "\(end.name), \(stage.name), \(isCD)"
          #expect(bench.requests.last == .stop, name)
          bench.answer(.stopped)
          guard case .idle = bench.model.stage else {
            Issue.record(name)
            continue
          }
          #expect(
            [.ended, .failed, .stopped].contains(bench.model.record.status), name)
          #expect(bench.model.deadline == nil, name)
        }
      }
    }
  }

  @Test("hears the end of a film after an mpv was killed that did not stop at an end")
  func killedAfterEnd() {
    var bench = Bench()
    bench.play(number: 7)
    bench.event(.endFile(entry: 7, .error, error: "lost"))
    bench.answer(.lost(.timeout))
    bench.play("blue", number: 1)
    bench.event(.endFile(entry: 1, .eof, error: ""))
    #expect(bench.inspects)
  }
}
