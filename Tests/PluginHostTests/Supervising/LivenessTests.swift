import Devices
import PluginHost
import PluginProtocol
import Testing

@Suite("Supervision: signs of life")
struct LivenessTests {
  @Test("A quiet process is pinged after 5 s; two misses end it: TERM, 2 s later KILL")
  func twoMisses() {
    var story = Story()
    story.run()
    #expect(!story.pass(.milliseconds(4999)).contains(.ping))
    #expect(story.pass(.milliseconds(1)).contains(.ping))
    #expect(story.pass(.seconds(5)).contains(.ping))
    let actions = story.pass(.seconds(5))
    #expect(actions.contains(.terminate) && !actions.contains(.kill))
    #expect(!story.pass(.milliseconds(1999)).contains(.kill))
    #expect(story.pass(.milliseconds(1)) == [.kill])
    #expect(story.take(.exited(how: "signal 9")).wakeTimes == [story.now + .milliseconds(500)])
  }

  @Test("Any line is a sign of life")
  func anyLine() {
    var story = Story()
    story.run()
    _ = story.pass(.seconds(5))
    _ = story.pass(.seconds(5))
    #expect(story.pass(toHearALineAfter: .seconds(4)).wakeTimes == [story.now + .seconds(5)])
    for _ in 0..<50 { #expect(!story.pass(toHearALineAfter: .seconds(3)).contains(.ping)) }
    #expect(story.supervision.phase == .running)
  }

  @Test("No ping is sent while a request with its own deadline is open, nor right after")
  func busy() {
    var story = Story()
    story.run()
    for _ in 0..<20 { #expect(!story.pass(.seconds(5), busy: true).contains(.ping)) }
    #expect(!story.pass(.seconds(4)).contains(.ping))
    #expect(story.pass(.seconds(1)).contains(.ping))
  }

  @Test("Ten lines that are no messages restart it; nine do not")
  func badLines() {
    var story = Story()
    story.run()
    for _ in 0..<9 { #expect(story.take(.badLine("garbage")) == []) }
    #expect(story.take(.badLine("garbage")).contains(.terminate))
    story.take(.exited(how: "signal 15"))
    guard case .failed(let failure, let retryAt) = story.supervision.phase else {
      Issue.record("\(story.supervision.phase)")
      return
    }
    #expect(failure.cause == .crash && failure.message.contains("garbage"))
    #expect(retryAt != nil)
  }

  @Test("A process that closes its output but stays is ended after half a second")
  func outputEnds() {
    var story = Story()
    story.run()
    #expect(story.take(.outputEnded).wakeTimes == [.milliseconds(500)])
    #expect(story.pass(.milliseconds(500)).contains(.terminate))
  }

  @Test("The end of the output before the end of the process is no failure of its own")
  func outputEndsAtExit() {
    var story = Story()
    story.run()
    story.take(.outputEnded)
    story.take(.exited(how: "exit status 3"))
    guard case .failed(let failure, _) = story.supervision.phase else {
      Issue.record("\(story.supervision.phase)")
      return
    }
    #expect(failure.message.contains("exit status 3"))
  }
}

@Suite("Supervision: devices")
struct OpeningTests {
  private func handshaken(_ devices: [DeviceID]) -> Story {
    var story = Story(devices: devices)
    story.take(.start)
    story.take(.spawned)
    story.take(.initialized(.init(version: .current, plugin: "P", pluginVersion: "1")))
    return story
  }

  @Test("A device that cannot be opened now is tried again; the others run meanwhile")
  func oneRefused() {
    var story = handshaken(["lamp", "spot"])
    story.take(.opened("lamp"))
    #expect(story.supervision.phase == .handshaken)
    let actions = story.take(.refused("spot", DeviceError(.notNow, "busy")))
    #expect(actions.contains(.announce(.running)))
    #expect(actions.wakeTimes == [.milliseconds(500)])
    #expect(story.pass(.milliseconds(500)).contains(.open(["spot"])))
    #expect(
      story.take(.refused("spot", DeviceError(.notNow, "busy"))).wakeTimes == [.milliseconds(1500)])
  }

  @Test("Options that the plugin calls wrong are not tried again")
  func wrongOptions() {
    var story = handshaken(["lamp"])
    let actions = story.take(.refused("lamp", DeviceError(.invalid, "no such port")))
    #expect(story.supervision.phase == .configured)
    #expect(actions == [.announce(.configured)])
    for _ in 0..<20 {
      let actions = story.pass(toHearALineAfter: .seconds(60))
      #expect(!actions.contains { if case .open = $0 { true } else { false } })
    }
  }

  @Test("All devices refused leaves it configured, until one opens")
  func allRefused() {
    var story = handshaken(["lamp"])
    story.take(.refused("lamp", DeviceError(.failed, "unplugged")))
    #expect(story.supervision.phase == .configured)
    _ = story.pass(.milliseconds(500))
    #expect(story.take(.opened("lamp")) == [.announce(.running)])
  }
}

@Suite("Supervision: the end")
struct EndTests {
  @Test("On request: shutdown and end of input, TERM after 2 s, KILL after 2 s more")
  func stubborn() {
    var story = Story()
    story.run()
    #expect(
      story.take(.stop) == [.announce(.stopping(nil)), .shutDown, .wake(.seconds(2))])
    #expect(story.pass(.milliseconds(1999)) == [.wake(.seconds(2))])
    #expect(story.pass(.milliseconds(1)) == [.terminate, .wake(.seconds(4))])
    #expect(story.pass(.seconds(2)) == [.kill])
    #expect(story.take(.exited(how: "signal 9")) == [.announce(.stopped)])
  }

  @Test("A process that fails while it is asked to end is not started again")
  func stopWhileFailing() {
    var story = Story()
    story.run()
    for _ in 0..<10 { story.take(.badLine("x")) }
    story.take(.stop)
    #expect(story.take(.exited(how: "signal 15")) == [.announce(.stopped)])
  }

  @Test("Stopping what waits for its next try ends the waiting")
  func stopWhileFailed() {
    var story = Story()
    story.run()
    story.take(.exited(how: "exit status 1"))
    #expect(story.take(.stop) == [.announce(.stopped)])
    #expect(story.pass(.seconds(100)) == [])
  }

  @Test("News that come in a phase that does not expect them change nothing")
  func strayNews() {
    var story = Story()
    let inputs: [Supervision.Input] = [
      .spawned, .initialized(.init(version: .current, plugin: "P", pluginVersion: "1")),
      .opened("lamp"), .badLine("x"), .exited(how: "exit status 0"), .fileChanged,
    ]
    for input in inputs { #expect(story.take(input) == []) }
    #expect(story.supervision.phase == .discovered)
  }
}
