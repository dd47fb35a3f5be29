import JSON
import MediaFolders
import Platform

/// Reads titles, durations and tracks of media with a separate mpv process, which has no picture and no sound. After
/// a file has crashed or hung mpv, the next file gets a new process.
struct MediaProber {
  /// The longest time for one medium; afterwards mpv is killed.
  private static let limit = Duration.seconds(10)
  private static let arguments = [
    "--vo=null", "--ao=null", "--pause=yes", "--hwdec=no", "--sub-auto=no", "--cover-art-auto=no",
  ]

  let setup: MpvSetup
  let clock: any TheaterClock
  private var process: MpvProcess?
  private var events: AsyncStream<MpvEvent>.Iterator?

  init(setup: MpvSetup, clock: any TheaterClock) {
    self.setup = setup
    self.clock = clock
  }

  /// Reads the facts of a medium.
  ///
  /// - Throws: `corrupt` if mpv cannot play it, crashes or hangs; `unavailable` if mpv cannot be started.
  mutating func facts(of medium: Medium) async throws(MediaFailure) -> MediaFacts {
    let process = try start()
    let (clock, deadline) = (clock, clock.now() + Self.limit)
    let timer = Task {
      if (try? await clock.sleep(until: deadline)) != nil { process.kill() }
    }
    defer { timer.cancel() }
    do throws(MpvFailure) {
      if let device = medium.device {
        // The first request waits for the start of mpv.
        try await process.link.ask(
          ["set_property", .string(device.property), .string(device.path)], within: Self.limit)
      }
      try await process.link.ask(["loadfile", .string(medium.address)], within: Self.limit)
      while let event = await events?.next() {
        if case .fileLoaded = event { return try await MediaFacts(of: process.link) }
        if case .endFile(_, .error, let error) = event {
          throw MpvFailure.refused(MpvRefusal(error))
        }
      }
      throw MpvFailure.closed
    } catch {
      if case .refused(let refusal) = error {
        throw MediaFailure(
          .corrupt, subject: medium.item, detail: "mpv cannot play it: \(refusal.text)",
          hint: "Check the file with: mpv FILE")
      }
      process.kill()
      self.process = nil
      throw MediaFailure(
        .corrupt, subject: medium.item, detail: "mpv crashed or hung when it read the file",
        hint: "Check the file with: mpv FILE")
    }
  }

  /// Kills the process and waits for its end.
  mutating func end() async {
    process?.kill()
    await process?.waitForEnd()
    process = nil
  }

  private mutating func start() throws(MediaFailure) -> MpvProcess {
    if let process { return process }
    do throws(SystemError) {
      let new = try MpvProcess(
        setup.program, Self.arguments, environment: setup.variables, clock: clock)
      process = new
      events = new.link.events.makeAsyncIterator()
      return new
    } catch {
      throw MediaFailure(
        .unavailable, subject: setup.program, detail: "it cannot be started: \(error)",
        hint: "Install it: apt install mpv")
    }
  }
}
