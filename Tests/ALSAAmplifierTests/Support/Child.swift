import Glibc

/// A process of a test's own. Foundation's `Process` takes a child that closes the descriptors it
/// inherited, as sound servers do, for one that has ended, and then waits for it for ever.
struct Child: Sendable {
  private let id: pid_t

  /// Starts a program with these arguments and nothing in its environment but `environment`; its
  /// output goes nowhere. Throws an `errno`.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    // A thread of the pool blocks signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    defer {
      posix_spawnattr_destroy(&attributes)
      (words + variables).forEach { free($0) }
      posix_spawn_file_actions_destroy(&actions)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var id: pid_t = 0
    let result = posix_spawn(&id, path, &actions, &attributes, words, variables)
    guard result == 0 else { throw Failure(code: result) }
    self.id = id
  }

  /// Why a program did not start.
  struct Failure: Error { let code: Int32 }

  /// Waits for its end; the exit code, or −1 after a signal.
  @discardableResult func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }

  /// Ends it with a signal and waits.
  func end(_ signal: Int32 = SIGKILL) {
    kill(id, signal)
    wait()
  }
}
