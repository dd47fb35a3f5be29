import Glibc

/// A thread of our own, for work that must not wait for the cooperative pool.
struct NativeThread: Sendable {
  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void
    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  private let id: pthread_t

  /// Starts a thread; `nil` when the system has none left. Signals go to other threads.
  init?(_ name: String, run: @escaping @Sendable () -> Void) {
    var made = pthread_t()
    let body = Unmanaged.passRetained(Body(name: name, run: run))
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let result = pthread_create(
      &made, nil,
      { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        Self.setName(body.name)
        body.run()
        return nil
      }, body.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard result == 0 else {
      body.release()
      return nil
    }
    id = made
  }

  /// Waits for its end.
  func join() { pthread_join(id, nil) }

  /// Names the calling thread, for `top -H` and debuggers.
  private static func setName(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
  }

  /// Asks for real-time priority for the calling thread, below the kernel's own; `false` when the
  /// system does not permit it (see `ulimit -r`).
  static func becomeRealtime() -> Bool {
    var parameters = sched_param()
    parameters.sched_priority = 20
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0
  }
}
