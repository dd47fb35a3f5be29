import Devices
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

extension FilmPlayer {
  /// Opens a medium and plays it. Starts mpv again where it crashes or hangs meanwhile.
  ///
  /// - Parameter isAnnounced: Whether `opening` is reported first.
  func start(
    _ medium: Medium, at seconds: Double, isPaused: Bool = false, isAnnounced: Bool = true
  ) async throws(MediaFailure) {
    openings += 1
    let opening = openings
    self.medium = medium
    if record.item != medium.item { record.facts = MediaFacts() }
    record.item = medium.item
    record.become(.opening, at: seconds, now: clock.now())
    if isAnnounced { report() }
    startPolling()
    while true {
      let outcome = await load(medium, at: seconds, isPaused: isPaused)
      if Task.isCancelled, opening == openings { await stop() }
      guard opening == openings else {
        throw MediaFailure(.cancelled, subject: medium.item, detail: "a newer command came")
      }
      switch outcome {
      case .playing: return await begin(at: seconds, isPaused: isPaused)
      case .ended:
        if record.facts.duration == nil {
          record.facts.duration = library.duration(of: medium.item)
        }
        record.become(.playing, at: seconds, now: clock.now())
        report()
        return await finish()
      case .failed(let reason): throw fail(reason)
      case .died, .loaded:
        guard let pause = restarts.restart(at: clock.now()) else {
          throw fail("mpv crashed or hung \(RestartLimit.most) times while it played this")
        }
        try? await clock.sleep(until: clock.now() + pause)
      }
    }
  }

  /// Loads a medium and waits until it plays or fails.
  func load(_ medium: Medium, at seconds: Double, isPaused: Bool) async -> Outcome {
    isMoving = true
    defer { isMoving = false }
    await cable?.waitUntilFresh(until: clock.now() + .milliseconds(500), on: clock)
    lastEntry = max(lastEntry, entry ?? 0)
    entry = nil
    lastLog = nil
    hasEndedEarly = false
    do throws(DeviceError) {
      let process = try start()
      return try await load(medium, at: seconds, isPaused: isPaused, in: process)
    } catch {
      return .failed(error.message)
    }
  }

  func load(
    _ medium: Medium, at seconds: Double, isPaused: Bool, in process: MpvProcess
  ) async throws(DeviceError) -> Outcome {
    let link = process.link
    do throws(MpvFailure) {
      try await setChannels(link)
      try await link.set("pause", .bool(isPaused))
      try await link.set("aid", "auto")
      try await link.set("vid", "auto")
      try await link.set("start", seconds > 0 ? .string("\(seconds)") : "none")
      if let device = medium.device { try await link.set(device.property, .string(device.path)) }
      let waiter = wait()
      let answer = try await link.ask(
        ["loadfile", .string(medium.address)], within: Self.patienceWhileOpening)
      entry = answer["playlist_entry_id"]?.integer
      var outcome = await outcome(of: waiter, within: Self.longestOpening)
      if case .loaded = outcome {
        record.facts = try await MediaFacts(of: link)
        outcome = await self.outcome(of: waiter, within: Self.longestOpening)
      }
      // From here on its end is an event like any other.
      self.waiter = nil
      guard case .playing = outcome else { return outcome }
      // The outputs may have changed the tracks. The medium may be over by now.
      let facts = try await MediaFacts(of: link)
      // Nothing is known any more of one that is over.
      if hasEndedEarly || facts.tracks.isEmpty { return outcome }
      let duration = record.facts.duration
      record.facts = facts
      record.facts.duration = facts.duration ?? duration
      return try await checkOutputs(of: link) ?? outcome
    } catch {
      self.waiter = nil
      switch error {
      case .closed, .timeout:
        process.kill()
        await process.waitForEnd()
        if self.process === process { self.process = nil }
        return .died
      case .refused(let refusal): return .failed("mpv refused it: \(refusal.text)")
      }
    }
  }

  /// Returns the failure of a medium whose sound or picture mpv plays without its device.
  func checkOutputs(of link: MpvLink) async throws(MpvFailure) -> Outcome? {
    if record.facts.hasSound, try await link.property("current-ao") == nil, !hasEndedEarly {
      let device = options.isCable ? "the cable to the amplifier" : "\"\(options.audioDevice)\""
      _ = try await link.ask(["stop"])
      return .failed(
        "the sound cannot be played: the audio device \(device) could not be opened\(logText)")
    }
    if record.facts.hasPicture, try await link.property("current-vo") == nil, !hasEndedEarly {
      _ = try await link.ask(["stop"])
      return .failed(noPicture)
    }
    return nil
  }

  /// The reason of a film whose picture cannot be seen.
  var noPicture: String {
    "the picture cannot be shown: no video output could be opened\(logText). See the options \"display\" "
      + "and \"videoOutput\""
  }

  /// mpv's log lines in brackets, behind a message; empty without one.
  var logText: String { lastLog.map { " (\($0))" } ?? "" }

  /// The medium plays: reports it.
  func begin(at seconds: Double, isPaused: Bool) async {
    let told = if let link = process?.link { await position(of: link) } else { Double?.none }
    guard let medium else { return }
    if record.facts.title == nil { record.facts.title = MediaFiles.title(of: medium.item) }
    if record.facts.duration == nil { record.facts.duration = library.duration(of: medium.item) }
    record.become(isPaused ? .paused : .playing, at: told ?? seconds, now: clock.now())
    context.report(attributes: record.facts.attributes(at: told ?? seconds))
    report()
    if hasEndedEarly { await finish() }
  }

  func fail(_ reason: String) -> MediaFailure {
    let position = record.position(at: clock.now())
    medium = nil
    entry = nil
    record.become(.failed, at: position, now: clock.now(), reason: reason)
    report()
    return MediaFailure(.unsupported, subject: record.item ?? "", detail: reason)
  }
}
