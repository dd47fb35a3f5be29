import Devices
import JSON
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// The mpv process of a player, and the killed processes that have not ended yet.
///
/// A process that waits for a dead disk or share does not end before the disk answers, even after SIGKILL. It is left
/// behind, and collected in the background. Safe from any thread.
final class MpvProcesses: Sendable {
  /// The largest number of processes that are left behind. Beyond it, none is started.
  static let mostStuck = 4

  private struct State {
    var current: MpvProcess?
    /// The ids of the killed processes that have not ended within ``MpvProcess/longestEnd``.
    var stuck: Set<Int32> = []
    /// The wait for the end of the last killed process.
    var ending: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let context: DeviceContext
  private let options: MpvOptions
  private let setup: MpvSetup
  private let clock: any TheaterClock

  init(context: DeviceContext, options: MpvOptions, setup: MpvSetup, clock: any TheaterClock) {
    self.context = context
    self.options = options
    self.setup = setup
    self.clock = clock
  }

  /// The running process; nil if there is none.
  var current: MpvProcess? { state.withLock(\.current) }

  /// Whether this is the running process.
  func isCurrent(_ process: MpvProcess) -> Bool { current === process }

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - device: The name of an ALSA PCM; empty for none.
  ///   - configuration: The path of the ALSA configuration; nil for the machine's own.
  /// - Throws: `unavailable` if mpv cannot be started, or if too many processes are left behind.
  func start(device: String, configuration: String?) throws(DeviceError) -> MpvProcess {
    let stuck = state.withLock(\.stuck).count
    guard stuck < Self.mostStuck else { throw .tooManyStuck(stuck) }
    do throws(SystemError) {
      let process = try setup.start(
        options, device: device, configuration: configuration, clock: clock)
      state.withLock { $0.current = process }
      return process
    } catch {
      throw .notStarted(setup.program, error)
    }
  }

  /// Kills the running process. It does not count as running from now on.
  func killCurrent() {
    guard let process = removeCurrent() else { return }
    process.kill()
    waitForEnd(of: process)
  }

  /// Asks the running process to quit, kills it if it does not, and waits for its end within limits.
  func quit() async {
    if let process = removeCurrent() {
      await process.quit(clock: clock)
      waitForEnd(of: process)
    }
    await waitForEnd()
  }

  /// Waits for the end of the killed processes, at most ``MpvProcess/longestEnd`` for each. One
  /// may hold the sound device that the next process needs.
  func waitForEnd() async { await state.withLock(\.ending)?.value }

  private func removeCurrent() -> MpvProcess? {
    state.withLock { state in
      defer { state.current = nil }
      return state.current
    }
  }

  private func waitForEnd(of process: MpvProcess) {
    state.withLock { state in
      let previous = state.ending
      state.ending = Task {
        await previous?.value
        if await process.hasEnded(within: MpvProcess.longestEnd, on: clock) { return }
        leave(process)
      }
    }
  }

  /// Leaves a process behind, and reports it as a problem until it has ended.
  private func leave(_ process: MpvProcess) {
    changeStuck { _ = $0.insert(process.id) }
    context.log(
      .warning, "mpv (process \(process.id)) does not end, because a disk or share does not answer")
    Task {
      await process.waitForEnd()
      changeStuck { _ = $0.remove(process.id) }
    }
  }

  /// Changes the ids of the processes that are left behind, and reports the problem.
  private func changeStuck(_ change: (inout Set<Int32>) -> Void) {
    state.withLock { state in
      change(&state.stuck)
      let ids = state.stuck.sorted().map { "\($0)" }.joined(separator: ", ")
      let text =
        "a disk or share does not answer; mpv waits for it and cannot be ended (process \(ids))"
      // Under the lock, so that the last report is the newest one.
      context.report(
        attributes: ["problem": Attribute(ids.isEmpty ? .null : .string(text), label: "Problem")])
    }
  }
}
