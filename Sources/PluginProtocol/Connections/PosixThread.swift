import CLinux
import Glibc

/// A detached thread, for the few places that must wait in a system call.
public enum PosixThread {
  /// Runs `body` on a thread of its own.
  ///
  /// - Parameter name: Shown by `ps -L` and debuggers; at most 15 bytes count.
  public static func start(name: String, _ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(name: name, body: body))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 1 << 19)
    let outcome = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
        linux_name_thread(String(box.name.prefix(15)))
        box.body()
        return nil
      }, box.toOpaque())
    pthread_attr_destroy(&attributes)
    // Without threads nothing here can work; the limit of a user's processes is the usual cause.
    precondition(outcome == 0, "no thread can be started (error \(outcome)); see ulimit -u")
  }

  private final class Box: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
