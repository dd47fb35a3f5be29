import CLinux
import Glibc
import Synchronization

/// A child process. It inherits three standard streams and nothing else, is signalled only while it
/// lives, and leaves nothing of its group behind.
public final class ChildProcess: Sendable {
  /// The end of a process.
  public enum ExitStatus: Sendable, Hashable, CustomStringConvertible {
    /// By itself, with this code (0 to 255).
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)

    init(waitStatus: Int32) {
      let signal = waitStatus & 0x7F
      self = signal == 0 ? .exited((waitStatus >> 8) & 0xFF) : .signalled(signal)
    }

    /// `exit status 1` or `signal 9 (Killed)`.
    public var description: String {
      switch self {
      case .exited(let code): "exit status \(code)"
      case .signalled(let signal):
        "signal \(signal)" + (strsignal(signal).map { " (\(String(cString: $0)))" } ?? "")
      }
    }
  }

  /// The process id.
  public let id: Int32
  /// Our ends of the pipes, −1 for a stream that is no pipe. The caller closes them.
  public let input, output, error: Int32
  private let leadsGroup: Bool
  /// Signals are sent under this lock, and the process is collected under it: a signal never reaches
  /// another process that was given the same id.
  private let status = Mutex<ExitStatus?>(nil)

  /// Starts `program`.
  ///
  /// - Throws: Why it could not be started, such as `ENOENT`, `EACCES`, `EAGAIN` at the limit of
  ///   processes, or `EMFILE` at the limit of open files.
  public init(_ program: ProgramStart) throws(SystemError) {
    let streams = [program.input, program.output, program.error]
    var pipes: [Pipe?] = []
    do throws(SystemError) {
      for stream in streams { pipes.append(stream.isPipe ? try Pipe() : nil) }
      // The child reads its input and writes the other two.
      let ends = [pipes[0]?.reading, pipes[1]?.writing, pipes[2]?.writing]
      id = try program.spawn(
        zip(streams, ends).map { stream, end in end.map(ProgramStart.Stream.descriptor) ?? stream })
      for end in ends { if let end { close(end) } }
    } catch {
      for pipe in pipes { pipe?.close() }
      throw error
    }
    leadsGroup = program.leadsGroup
    input = pipes[0]?.writing ?? -1
    output = pipes[1]?.reading ?? -1
    error = pipes[2]?.reading ?? -1
  }

  /// Whether `wait` has not collected the process yet.
  public var isRunning: Bool { status.withLock { $0 == nil } }

  /// Sends a signal to the process, or to its whole group if it leads one.
  public func signal(_ number: Int32) {
    status.withLock { status in
      if status == nil { _ = kill(leadsGroup ? -id : id, number) }
    }
  }

  /// Waits for the end of the process, kills the rest of its group and collects it. Blocks its
  /// thread.
  @discardableResult public func wait() -> ExitStatus {
    // WNOWAIT does not collect the process, so its id stays the group's until the group is killed.
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, Int32(WEXITED) | Int32(WNOWAIT)) < 0, errno == EINTR {}
    return status.withLock { status in
      if let status { return status }
      if leadsGroup { _ = kill(-id, SIGKILL) }
      var code: Int32 = 0
      while waitpid(id, &code, 0) < 0, errno == EINTR {}
      let ended = ExitStatus(waitStatus: code)
      status = ended
      return ended
    }
  }

  /// Opens a descriptor that becomes readable when the process ends; −1 once `wait` has collected
  /// it, and on a kernel before 5.3. The caller closes it.
  public func openExitDescriptor() -> Int32 {
    status.withLock { $0 == nil ? linux_pidfd_open(id) : -1 }
  }

  private struct Pipe {
    let reading, writing: Int32

    init() throws(SystemError) {
      var ends: [Int32] = [-1, -1]
      guard linux_pipe(&ends) == 0 else { throw SystemError(errno) }
      (reading, writing) = (ends[0], ends[1])
    }

    func close() {
      _ = Glibc.close(reading)
      _ = Glibc.close(writing)
    }
  }
}
