import Devices
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

extension FilmPlayer {
  /// The running process; starts one if there is none.
  func start() throws(DeviceError) -> MpvProcess {
    if let process { return process }
    let new: MpvProcess
    do throws(SystemError) {
      new = try setup.start(
        options, device: options.isCable ? SoundCable.pcm : options.audioDevice,
        configuration: cable?.configuration, clock: clock)
    } catch {
      throw .notStarted(setup.program, error)
    }
    process = new
    entry = nil
    lastEntry = 0
    Task { await self.follow(new) }
    return new
  }

  /// Takes the events of a process until it has ended.
  func follow(_ process: MpvProcess) async {
    _ = try? await process.link.ask(["request_log_messages", "error"])
    _ = try? await process.link.ask(["observe_property", 1, "paused-for-cache"])
    _ = try? await process.link.ask(["observe_property", 2, "chapter"])
    for await event in process.link.events where self.process === process { handle(event) }
    // Its connection may have ended before itself.
    process.kill()
    await process.waitForEnd()
    guard self.process === process else { return }
    self.process = nil
    entry = nil
    if let waiter {
      waiter.continuation.yield(.died)
    } else {
      await recover()
    }
  }

  func handle(_ event: MpvEvent) {
    switch event {
    case .playbackRestart: waiter?.continuation.yield(.playing)
    case .endFile(let ended, let reason, let error):
      // Of the medium before.
      if let ended, ended <= lastEntry { return }
      switch reason {
      case .eof: endOfFile()
      case .error: broke(error.isEmpty ? "mpv cannot play it" : error)
      case .stop, .quit, .redirect, .unknown: break
      }
    case .propertyChange("paused-for-cache", let value): stall(value.bool == true)
    case .propertyChange("chapter", _): reportProgress()
    case .log(let text): lastLog = lastLog.map { "\($0.prefix(200)); \(text)" } ?? text
    case .fileLoaded: waiter?.continuation.yield(.loaded)
    case .propertyChange, .other: break
    }
  }

  func endOfFile() {
    hasEndedEarly = record.status == .opening
    if let waiter { return waiter.continuation.yield(.ended).ignore() }
    guard medium != nil else { return }
    guard record.status == .playing || record.status == .paused else { return }
    // Beside the events, which the next medium needs.
    Task { await finish() }
  }

  /// The medium is over: the next song follows, or the playback has ended.
  func finish() async {
    guard let ended = medium else { return }
    let end = record.facts.duration ?? record.position(at: clock.now())
    medium = nil
    entry = nil
    let opening = openings
    let next = isCD ? await library.neighbour(of: ended.item, steps: 1) : nil
    guard opening == openings else { return }
    guard let next else {
      await waitForSilence()
      guard opening == openings else { return }
      record.become(.ended, at: end, now: clock.now())
      return report()
    }
    context.report(
      Playback(.playing, item: ended.item, position: end, duration: record.facts.duration, rate: 0))
    do throws(MediaFailure) {
      try await start(try await library.resolve(next), at: 0, isAnnounced: false)
    } catch {
      context.log(.warning, error.message)
    }
  }

  /// Waits until mpv has closed its sound: the last frame was heard then.
  func waitForSilence() async {
    guard record.facts.hasSound, let link = process?.link else { return }
    for _ in 0..<40 {
      guard let answer = try? await link.property("current-ao"), answer != nil,
        (try? await clock.sleep(until: clock.now() + .milliseconds(30))) != nil
      else { return }
    }
  }

  func broke(_ reason: String) {
    let isVideoOutput = lastLog?.contains("video_out") == true
    let text = isVideoOutput ? noPicture : "it cannot be played: \(reason)\(logText)"
    if let waiter { return waiter.continuation.yield(.failed(text)).ignore() }
    if medium != nil { _ = fail(text) }
  }

  /// mpv has crashed or hung: plays on where it stopped.
  func recover() async {
    guard let medium, record.status == .playing || record.status == .paused else { return }
    let seconds = record.position(at: clock.now())
    let isPaused = record.status == .paused
    context.log(.warning, "mpv ended unexpectedly; \(medium.item) goes on at \(Int(seconds)) s")
    guard let pause = restarts.restart(at: clock.now()) else {
      _ = fail("mpv crashed or hung \(RestartLimit.most) times while it played this")
      return
    }
    let opening = openings
    try? await clock.sleep(until: clock.now() + pause)
    guard opening == openings else { return }
    do throws(MediaFailure) {
      try await start(medium, at: seconds, isPaused: isPaused)
    } catch {
      if error.kind != .cancelled { context.log(.error, error.message) }
    }
  }

  func wait() -> Waiter {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Outcome.self, bufferingPolicy: .bufferingOldest(2))
    let new = Waiter(stream: stream, continuation: continuation)
    waiter = new
    return new
  }

  /// Waits for the next outcome. Without one in time mpv counts as hung.
  func outcome(of waiter: Waiter, within limit: Duration) async -> Outcome {
    let deadline = clock.now() + limit
    let timer = Task { [clock] in
      if (try? await clock.sleep(until: deadline)) != nil { waiter.continuation.finish() }
    }
    defer { timer.cancel() }
    for await outcome in waiter.stream { return outcome }
    return .failed("it did not begin to play within \(Int(limit / .seconds(1))) s")
  }
}

extension AsyncStream.Continuation.YieldResult {
  /// Uses the result of a yield that only the first of several may win.
  fileprivate func ignore() {}
}
