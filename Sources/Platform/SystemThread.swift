import CLinux
import Glibc

/// A POSIX thread, for work that waits in system calls and must not occupy the cooperative pool.
///
/// Signals of the process are delivered to other threads, so that its system calls are not
/// interrupted.
public struct SystemThread: Sendable {
  /// The scheduling priority of a thread.
  public enum Priority: Sendable {
    /// The priority of the thread that starts it.
    case normal
    /// This many steps of `nice` below the thread that starts it. A negative number raises the priority; without the
    /// permission for that the thread stays normal.
    case nice(Int32)
    /// `SCHED_FIFO` 20, below the kernel's own threads. Without the permission (`ulimit -r`) the
    /// thread stays normal; see `isRealtime`.
    case realtime
  }

  private let id: pthread_t

  /// Starts a thread, which `join` or `detach` must follow.
  ///
  /// - Parameters:
  ///   - name: Shown by `top -H`, `ps -L` and debuggers, cut to 15 bytes.
  ///   - stack: Bytes of its stack, at least 16 KiB. Memory that is never touched costs nothing.
  /// - Throws: `EAGAIN` at the limit of threads (`ulimit -u`).
  public init(
    name: String, priority: Priority = .normal, stack: Int = 512 << 10,
    _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stack)
    let start = Unmanaged.passRetained(Start(name: name, priority: priority, body: body))
    var thread = pthread_t()
    // A new thread has the mask of the one that makes it.
    var before = sigset_t()
    var blocked = Self.deferrableSignals
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    let code = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      start.release()
      throw SystemError(code)
    }
    id = thread
  }

  /// Starts a detached thread. Stops the program if the system has no thread left, because the
  /// program cannot work then.
  public static func start(
    name: String, priority: Priority = .normal, _ body: @escaping @Sendable () -> Void
  ) {
    do {
      try SystemThread(name: name, priority: priority, body).detach()
    } catch {
      // Without its thread the caller's work would never be done, and no caller can go on without it.
      fatalError("The thread \"\(name)\" could not be started: \(error). See ulimit -u.")
    }
  }

  /// Runs work that waits in system calls on a thread of its own, and returns its result or throws its
  /// error. The cancellation of the task does not end it.
  package static func run<Value: Sendable, Failure: Error>(
    name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      start(name: name) {
        continuation.resume(returning: Result { () throws(Failure) in try body() })
      }
    }
    return try result.get()
  }

  /// Waits for its end.
  public func join() { pthread_join(id, nil) }

  /// Lets it end by itself.
  public func detach() { pthread_detach(id) }

  /// Whether the calling thread has real-time priority.
  public static var isRealtime: Bool {
    var policy: Int32 = 0
    var parameters = sched_param()
    return pthread_getschedparam(pthread_self(), &policy, &parameters) == 0 && policy == SCHED_FIFO
  }

  /// All signals except those that report a fault of the thread itself.
  private static var deferrableSignals: sigset_t {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
      sigdelset(&signals, fault)
    }
    return signals
  }

  private final class Start: Sendable {
    private let name: String
    private let priority: Priority
    private let body: @Sendable () -> Void

    init(name: String, priority: Priority, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.priority = priority
      self.body = body
    }

    func run() {
      linux_name_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
      priority.apply()
      body()
    }
  }
}

extension SystemThread.Priority {
  /// Gives the calling thread this priority, as far as that is permitted.
  fileprivate func apply() {
    // On Linux a nice value belongs to a thread; 0 is the calling one.
    let thread = __priority_which_t(PRIO_PROCESS.rawValue)
    switch self {
    case .normal: break
    case .nice(let steps): _ = setpriority(thread, 0, getpriority(thread, 0) + steps)
    case .realtime:
      var parameters = sched_param()
      parameters.sched_priority = 20
      _ = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
    }
  }
}
