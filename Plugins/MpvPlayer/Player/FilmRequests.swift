import Devices
import JSON
import MediaFolders
import Platform

/// The requests of the model, carried out with mpv and the library.
extension FilmPlayer {
  /// The longest wait until mpv has stopped a medium. Then mpv is killed.
  private static let patienceWithStop = Duration.milliseconds(1500)

  /// Carries out a request and returns its answer.
  func answer(
    to request: FilmModel.Request, _ ticket: FilmModel.Ticket
  ) async -> FilmModel.Answer {
    if case .open(let start) = request { return await open(start, ticket) }
    if case .findNext(let item) = request { return await findNext(item) }
    if case .stop = request { return await stopMedium(ticket) }
    if case .append(let item) = request { return .appended(await append(after: item, ticket)) }
    if case .inspect(let medium, let end) = request {
      return .inspected(await library.inspect(medium, end))
    }
    do throws(MpvFailure) {
      guard let link = processes.current?.link else { throw MpvFailure.closed }
      return try await answer(to: request, through: link)
    } catch {
      switch request {
      case .pause: return .notPaused(error)
      case .resume: return .notResumed(error)
      case .position: return .noPosition(error)
      default: break
      }
      if case .refused = error { return .failed(error.text) }
      return .lost(error)
    }
  }

  private func answer(
    to request: FilmModel.Request, through link: MpvLink
  ) async throws(MpvFailure) -> FilmModel.Answer {
    switch request {
    case .readFacts(let medium): return .facts(try await readFacts(of: medium, through: link))
    case .checkOutputs(let known): return try await checkOutputs(known, through: link)
    case .settle(let pauses):
      if pauses { _ = try? await link.set("pause", true) }
      return .settled(await link.position())
    case .pause:
      try await link.set("pause", true)
      return .paused(await link.position())
    case .resume:
      try await link.set("pause", false)
      return .resumed
    case .seek(let seconds):
      try await link.ask(["seek", .number(seconds), "absolute+exact"])
      return .accepted
    case .position(let limit): return .position(try await link.position(within: limit))
    case .waitForSilence:
      await waitForSilence(link)
      return .silent
    case .open, .findNext, .stop, .inspect, .append: return .accepted
    }
  }

  /// Makes mpv load a medium. Does nothing more once the ticket is old.
  private func open(
    _ start: FilmModel.Start, _ ticket: FilmModel.Ticket
  ) async -> FilmModel.Answer {
    do throws(MediaFailure) {
      try await library.prepareInspection(of: start.medium)
    } catch {
      return .failed(error.message)
    }
    await processes.waitForEnd()
    await cable?.waitUntilFresh(until: clock.now() + .milliseconds(500), on: clock)
    guard isCurrent(ticket) else { return .accepted }
    let process: MpvProcess
    do throws(DeviceError) {
      process = try runningProcess()
    } catch {
      return .failed(error.message)
    }
    do throws(MpvFailure) {
      let link = process.link
      let device = options.isLent ? lentPCM : nil
      let properties =
        link.properties(
          for: start, isStereo: isStereo, showsFilms: !isCD, lentPCM: device)
        + [("af", .string(options.filter(for: start.medium)))]
      for (name, value) in properties {
        // A process that has just started answers later, above all on a slow disk.
        let limit =
          link.hasAnswered ? FilmModel.patienceWhileLoading : FilmModel.patienceWhileOpening
        try await link.ask(["set_property", .string(name), value], within: limit)
        guard isCurrent(ticket) else { return .accepted }
      }
      return .opened(
        try await link.load(start.medium, within: FilmModel.patienceWhileOpening))
    } catch {
      if case .refused(let refusal) = error { return .failed("mpv refused it: \(refusal.text)") }
      return .lost(error)
    }
  }

  private func readFacts(
    of medium: Medium, through link: MpvLink
  ) async throws(MpvFailure) -> MediaFacts {
    var facts = try await MediaFacts(of: link)
    if !isCD { facts = try await link.selectTracks(of: facts, by: options.trackChoice) }
    if medium.isDVD, let duration = facts.duration {
      // mpv plays a title again at its end, unless the disc goes to a menu there. The position of the last frame is
      // a frame or two before the end.
      try await link.set("end", .string("\(duration - 0.1)"))
    }
    return facts
  }

  /// Reads the facts of a medium that plays, and whether mpv could open its outputs. mpv itself would play on without
  /// them.
  private func checkOutputs(
    _ known: MediaFacts, through link: MpvLink
  ) async throws(MpvFailure) -> FilmModel.Answer {
    // The outputs may have changed the tracks.
    let facts = try await MediaFacts(of: link)
    // A medium that has ended meanwhile has no facts and no outputs.
    if facts.tracks.isEmpty {
      return .outputs(facts, isWithoutSound: false, isWithoutPicture: false)
    }
    var isWithoutSound = false
    if facts.hasSound { isWithoutSound = try await link.isWithout("current-ao") }
    var isWithoutPicture = false
    if facts.hasPicture { isWithoutPicture = try await link.isWithout("current-vo") }
    return .outputs(
      facts, isWithoutSound: isWithoutSound, isWithoutPicture: isWithoutPicture)
  }

  /// Makes mpv stop the medium that it plays or opens. Kills an mpv that does not.
  private func stopMedium(_ ticket: FilmModel.Ticket) async -> FilmModel.Answer {
    guard let process = processes.current else { return .stopped }
    let hasStopped = await process.link.stop(within: Self.patienceWithStop, on: clock)
    // A newer opening already uses the process, and detects a hang itself.
    guard !hasStopped, processes.isCurrent(process), isCurrent(ticket) else { return .stopped }
    processes.killCurrent()
    await processes.waitForEnd()
    return .lost(.timeout)
  }

  /// Makes mpv play the next song after the present one.
  private func append(
    after item: String, _ ticket: FilmModel.Ticket
  ) async -> FilmModel.AppendedSong? {
    guard let next = await library.neighbour(of: item, steps: 1),
      let song = try? await library.resolve(next),
      (try? await library.prepareInspection(ofNext: song)) != nil, isCurrent(ticket),
      let link = processes.current?.link
    else { return nil }
    // The properties of the present song do not change with these of the next one.
    guard (try? await link.set("start", "none")) != nil, isCurrent(ticket) else { return nil }
    let address = JSON.string(song.address)
    let filter = JSON.string("af=\(options.filter(for: song))")
    // From version 0.38 on, mpv wants an index before the options.
    for words: [JSON] in [[address, "append", filter], [address, "append", -1, filter]] {
      if let answer = try? await link.ask(["loadfile"] + words) {
        return answer["playlist_entry_id"]?.integer.map {
          FilmModel.AppendedSong(song: song, number: $0)
        }
      }
    }
    return nil
  }

  private func findNext(_ item: String) async -> FilmModel.Answer {
    guard let next = await library.neighbour(of: item, steps: 1) else { return .next(nil) }
    do throws(MediaFailure) {
      return .next(try await library.resolve(next))
    } catch {
      return .failed(error.message)
    }
  }

  /// Waits until mpv has closed its sound output, at most about 1.2 s. By then the last frame was heard.
  private func waitForSilence(_ link: MpvLink) async {
    for _ in 0..<40 {
      guard let answer = try? await link.property("current-ao"), answer != nil,
        (try? await clock.sleep(until: clock.now() + .milliseconds(30))) != nil
      else { return }
    }
  }
}
