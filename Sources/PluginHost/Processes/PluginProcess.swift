import CLinux
import Glibc
import Logging
import PluginProtocol
import Synchronization

/// One plugin's process: started with its own group, watched by one thread until it has ended.
final class PluginProcess: LaunchedPlugin {
  let connection: any Connection
  private let leader: Int32
  private let log: Mutex<StderrLog>
  /// Signals are sent under this lock, and the process is reaped under it: a signal never reaches
  /// another process that was given the same number.
  private let isReaped = Mutex(false)

  /// Starts the process and its threads.
  init(
    _ spawn: Spawn, mask: SecretMask, logger: Logger, onExit: @escaping @Sendable (String) -> Void
  ) throws(LaunchError) {
    let child = try spawn()
    leader = child.pid
    log = Mutex(StderrLog(mask: mask))
    connection = StreamConnection(reading: child.stdout, writing: child.stdin)
    PosixThread.start(name: "plugin \(child.pid)") { [self] in
      watch(stderr: child.stderr, logger)
      onExit(reap())
    }
  }

  var pid: Int32? { isReaped.withLock { $0 } ? nil : leader }
  var stderrLines: [String] { log.withLock { $0.all } }
  func terminate() { signal(SIGTERM) }
  func kill() { signal(SIGKILL) }

  private func signal(_ number: Int32) {
    isReaped.withLock { isReaped in
      if !isReaped { _ = Glibc.kill(-leader, number) }
    }
  }

  // MARK: The thread

  /// Reads stderr until the process has ended.
  private func watch(stderr: Int32, _ logger: Logger) {
    let process = linux_pidfd_open(leader)
    defer {
      if process >= 0 { close(process) }
      close(stderr)
    }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)
    defer { buffer.deallocate() }
    var interests = [
      pollfd(fd: stderr, events: Int16(POLLIN), revents: 0),
      pollfd(fd: process, events: Int16(POLLIN), revents: 0),
    ]
    // Without a pidfd (a kernel before 5.3) the end of stderr has to do.
    while interests.contains(where: { $0.fd >= 0 }) {
      guard poll(&interests, 2, -1) >= 0 else {
        if errno == EINTR { continue }
        return
      }
      if interests[0].revents != 0 {
        let count = read(stderr, buffer.baseAddress, buffer.count)
        if count > 0 {
          note(UnsafeBufferPointer(rebasing: buffer[..<count]), logger)
          continue
        }
        if count == 0 || errno != EINTR { interests[0].fd = -1 }
      }
      if interests[1].revents != 0 { return }
    }
  }

  private func note(_ bytes: UnsafeBufferPointer<UInt8>, _ logger: Logger) {
    for line in log.withLock({ $0.take(bytes) }) { logger.debug("stderr: \(line)") }
  }

  /// Ends what is left of the group and collects the process.
  private func reap() -> String {
    // Until it is reaped the leader keeps the group's number, so this reaches nobody else.
    var info = siginfo_t()
    while waitid(P_PID, id_t(leader), &info, Int32(WEXITED) | Int32(WNOWAIT)) < 0, errno == EINTR {}
    return isReaped.withLock { isReaped in
      _ = Glibc.kill(-leader, SIGKILL)
      var status: Int32 = 0
      while waitpid(leader, &status, 0) < 0, errno == EINTR {}
      isReaped = true
      return Self.description(of: status)
    }
  }

  /// `exit status 1` or `signal 9 (Killed)`.
  static func description(of status: Int32) -> String {
    let signal = status & 0x7F
    guard signal != 0 else { return "exit status \((status >> 8) & 0xFF)" }
    return "signal \(signal)" + (strsignal(signal).map { " (\(String(cString: $0)))" } ?? "")
  }
}

/// Starts plugins as processes.
package struct ProcessLauncher: PluginLauncher {
  let environment: [String: String]
  private let logger: Logger

  /// From now on the controller ignores SIGPIPE: a plugin that closes its input must not end it.
  ///
  /// - Parameter environment: The controller's own, from which manifests may name some.
  package init(environment: [String: String], logger: Logger) {
    Glibc.signal(SIGPIPE, SIG_IGN)
    self.environment = environment
    self.logger = logger
  }

  package func launch(
    _ plugin: CataloguedPlugin, mask: SecretMask, onExit: @escaping @Sendable (String) -> Void
  ) throws(LaunchError) -> any LaunchedPlugin {
    var logger = logger
    logger[metadataKey: "plugin"] = "\(plugin.manifest.id)"
    return try PluginProcess(
      Self.spawn(plugin, environment: environment), mask: mask, logger: logger, onExit: onExit)
  }

  /// How to start the plugin's program, with a question where one is asked.
  static func spawn(
    _ plugin: CataloguedPlugin, _ question: String..., environment all: [String: String]
  ) -> Spawn {
    Spawn(
      program: plugin.program, arguments: plugin.manifest.command.dropFirst() + question,
      environment: environment(for: plugin.manifest, from: all), folder: plugin.folder)
  }

  /// The variables that the manifest names, as far as they are set and a manifest may ask for them.
  static func environment(for manifest: Manifest, from all: [String: String]) -> [String: String] {
    let names = manifest.environment.filter(Manifest.allowedEnvironment.contains)
    return all.filter { variable, _ in
      names.contains { name in
        name.hasSuffix("*") ? variable.hasPrefix(name.dropLast()) : variable == name
      }
    }
  }
}
