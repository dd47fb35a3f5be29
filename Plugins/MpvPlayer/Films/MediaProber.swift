import Devices
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
  /// Whether mpv has begun to open the present medium.
  private var hasBegun = false

  init(setup: MpvSetup, clock: any TheaterClock) {
    self.setup = setup
    self.clock = clock
  }

  /// Reads the facts of a medium.
  ///
  /// - Throws: `corrupt` if mpv cannot play it, crashes or hangs; `unavailable` if mpv cannot be started; `cancelled`
  ///   in a cancelled task.
  mutating func facts(of medium: Medium) async throws(MediaFailure) -> MediaFacts {
    let wasRunning = self.process != nil
    let process = try start()
    do throws(MpvFailure) {
      return try await facts(of: medium, in: process)
    } catch {
      if case .refused(let refusal) = error {
        throw MediaFailure(
          .corrupt, subject: medium.item, detail: "mpv cannot play it: \(refusal.text)",
          hint: "Check the file with: mpv FILE")
      }
      // Not waited for: a process that waits for a hanging disk ends only with the disk's answer.
      process.kill()
      self.process = nil
      if Task.isCancelled {
        throw MediaFailure(.cancelled, subject: medium.item, detail: "the scan was cancelled")
      }
      // If mpv had not begun this medium, the one before may be the cause, so it is read in a new process.
      if wasRunning, !hasBegun { return try await facts(of: medium) }
      throw MediaFailure(
        .corrupt, subject: medium.item, detail: "mpv crashed or hung when it read the file",
        hint: "Check the file with: mpv FILE")
    }
  }

  /// Loads a medium and reads its facts. Kills the process after ``limit``, and when the task is cancelled.
  private mutating func facts(
    of medium: Medium, in process: MpvProcess
  ) async throws(MpvFailure) -> MediaFacts {
    let (clock, deadline) = (clock, clock.now() + Self.limit)
    let timer = Task {
      if (try? await clock.sleep(until: deadline)) != nil { process.kill() }
    }
    defer { timer.cancel() }
    let result: Result<MediaFacts, MpvFailure> = await withTaskCancellationHandler {
      do throws(MpvFailure) {
        return .success(try await load(medium, through: process.link))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      process.kill()
    }
    return try result.get()
  }

  private mutating func load(
    _ medium: Medium, through link: MpvLink
  ) async throws(MpvFailure) -> MediaFacts {
    hasBegun = false
    if let device = medium.device {
      // The first request waits for the start of mpv.
      try await link.ask(
        ["set_property", .string(device.property), .string(device.path)], within: Self.limit)
    }
    let entry = try await link.load(medium, within: Self.limit) ?? 0
    while let event = await events?.next() {
      if case .startFile = event { hasBegun = true }
      if case .fileLoaded = event { return try await MediaFacts(of: link) }
      // Each medium of a process gets a higher number. A late error of the medium before is ignored.
      if case .endFile(let ended, .error, let error) = event, ended ?? entry >= entry {
        throw .refused(MpvRefusal(error))
      }
    }
    throw .closed
  }

  /// Kills the process and waits for its end, at most ``MpvProcess/longestEnd``.
  mutating func end() async {
    process?.kill()
    _ = await process?.hasEnded(within: MpvProcess.longestEnd, on: clock)
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
        hint: DeviceError.notStarted(setup.program, error).hint ?? "")
    }
  }
}
