import Glibc
import JSON
import Platform
import PluginProtocol
import Synchronization

/// A process of mpv and the connection to it.
///
/// The standard input of mpv is one end of a socket pair, which carries mpv's JSON IPC. Therefore no other program can
/// connect, and mpv quits when this process ends.
final class MpvProcess: Sendable {
  /// The connection; it ends when mpv ends.
  let link: MpvLink
  private let child: ChildProcess
  private let end = End()

  /// The longest wait for the end of a process that was killed.
  static let longestEnd = Duration.seconds(1)

  /// The process id.
  var id: Int32 { child.id }

  /// The options for the connection, and the options that prevent mpv from reading other files and starting programs.
  private static let arguments = [
    "--no-config", "--idle=yes", "--no-terminal", "--input-ipc-client=fd://0", "--load-scripts=no",
    "--ytdl=no", "--osc=no", "--osd-level=0", "--input-default-bindings=no",
    "--input-vo-keyboard=no",
    // A file must not make libav open an address in the network. A stream changes both (`Medium.Network.options`).
    "--access-references=no", "--demuxer-lavf-o=protocol_whitelist=file", "--audio-display=no",
    "--keep-open=no",
  ]

  /// Starts mpv.
  ///
  /// - Parameters:
  ///   - program: The path of mpv, or its name on `PATH`.
  ///   - environment: All environment variables of mpv; it inherits none.
  ///   - niceness: The increment of the nice value over that of this process, 0 to 19.
  /// - Throws: The error of the system if mpv cannot be started.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], niceness: Int = 0,
    clock: any TheaterClock
  ) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError(errno) }
    // `StreamConnection` closes its two descriptors separately, so each direction gets its own.
    let writing = fcntl(ends[0], F_DUPFD_CLOEXEC, 3)
    guard writing >= 0 else {
      let error = SystemError(errno)
      for end in ends { close(end) }
      throw error
    }
    var (command, words) = (program, Self.arguments + arguments)
    if niceness > 0 { (command, words) = ("nice", ["-n", "\(niceness)", program] + words) }
    do throws(SystemError) {
      // mpv stays in the process group of the plugin, so that the controller ends both together.
      child = try ChildProcess(
        ProgramStart(
          command, words, environment: environment,
          input: .descriptor(ends[1])))
    } catch {
      for end in [writing] + ends { close(end) }
      throw error
    }
    close(ends[1])
    link = MpvLink(StreamConnection(reading: ends[0], writing: writing), clock: clock)
    let (child, end, link) = (child, end, link)
    SystemThread.start(name: "mpv") {
      child.wait()
      link.close()
      end.signal()
    }
  }

  /// Kills the process at once, even if it is stopped by a signal, and ends the connection. A process that waits for a
  /// dead disk or share ends only when that answers.
  func kill() {
    child.signal(SIGKILL)
    link.close()
  }

  /// Asks mpv to quit, so that it closes its window and its sound output, and waits for its end. Kills mpv if it has
  /// not ended within `limit`, and then waits at most ``longestEnd``.
  func quit(within limit: Duration = .milliseconds(700), clock: any TheaterClock) async {
    await child.kill(after: limit, on: clock) {
      _ = try? await link.ask(["quit"], within: limit)
      _ = await hasEnded(within: limit + Self.longestEnd, on: clock)
    }
  }

  /// Waits until the process has ended, at most for `limit`. Returns whether it has ended.
  func hasEnded(within limit: Duration, on clock: any TheaterClock) async -> Bool {
    let (results, result) = AsyncStream<Bool>.makeStream()
    let deadline = clock.now() + limit
    Task {
      await waitForEnd()
      result.yield(true)
      result.finish()
    }
    let timer = Task {
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      result.yield(false)
      result.finish()
    }
    defer { timer.cancel() }
    for await hasEnded in results { return hasEnded }
    return false
  }

  /// Waits until the process has ended, also in a cancelled task: another process may need what this one still holds.
  func waitForEnd() async { await end.wait() }

  /// The end of the process.
  private final class End: Sendable {
    private let state = Mutex<(isOver: Bool, waiting: [CheckedContinuation<Void, Never>])>(
      (false, []))

    func signal() {
      let waiting = state.withLock { state in
        state.isOver = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for task in waiting { task.resume() }
    }

    func wait() async {
      await withCheckedContinuation { task in
        let isOver = state.withLock { state in
          if !state.isOver { state.waiting.append(task) }
          return state.isOver
        }
        if isOver { task.resume() }
      }
    }
  }
}

extension ChildProcess {
  /// Runs `body`, which waits for the end of the process. Kills the process if `body` takes longer than `limit`.
  func kill<Value>(
    after limit: Duration, on clock: any TheaterClock, _ body: () async -> Value
  ) async -> Value {
    let deadline = clock.now() + limit
    let killer = Task {
      if (try? await clock.sleep(until: deadline)) != nil { signal(SIGKILL) }
    }
    defer { killer.cancel() }
    return await body()
  }
}
