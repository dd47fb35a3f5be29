import Glibc
import Logging
import Platform
import PluginProtocol
import Synchronization

/// One plugin's process, watched by one thread until it has ended.
final class PluginProcess: LaunchedPlugin {
  let connection: any Connection
  private let child: ChildProcess
  let log: PluginLog

  /// Starts the process and its threads.
  init(
    _ program: ProgramStart, mask: ProcessSecretMask, logger: Logger,
    onExit: @escaping @Sendable (String) -> Void
  ) throws(LaunchError) {
    child = try .start(program)
    log = PluginLog(mask: mask)
    connection = StreamConnection(reading: child.output, writing: child.input)
    SystemThread.start(name: "plugin \(child.id)") { [self] in
      readLog(logger)
      onExit(child.wait().description)
    }
  }

  var pid: Int32? { child.isRunning ? child.id : nil }
  func terminate() { child.signal(SIGTERM) }
  func kill() { child.signal(SIGKILL) }

  /// The most bytes that are read after the end of the process: a pipe's default capacity. A child that has
  /// left the process group may write for ever.
  private static let longestRest = 1 << 16

  /// Reads stderr until the process has ended, and then the rest of it.
  private func readLog(_ logger: Logger) {
    let stderr = child.error
    let process = child.openExitDescriptor()
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
    // Without a pidfd (a kernel before 5.3) the end of stderr counts as the end of the process.
    var rest = Self.longestRest
    while interests.contains(where: { $0.fd >= 0 }) {
      guard poll(&interests, 2, -1) >= 0 else {
        if errno == EINTR { continue }
        return
      }
      if interests[0].revents != 0 {
        let count = read(stderr, buffer.baseAddress, buffer.count)
        if count > 0 {
          record(UnsafeBufferPointer(rebasing: buffer[..<count]), logger)
          if interests[1].revents != 0 { rest -= count }
          if rest > 0 { continue }
        }
        if count == 0 || errno != EINTR { interests[0].fd = -1 }
      }
      if interests[1].revents != 0 { return }
    }
  }

  private func record(_ bytes: UnsafeBufferPointer<UInt8>, _ logger: Logger) {
    for line in log.append(bytes) { logger.debug("stderr: \(line)") }
  }
}

/// Starts plugins as processes.
package struct ProcessLauncher: PluginLauncher {
  let environment: [String: String]
  private let logger: Logger

  /// Makes the process ignore SIGPIPE, so that a plugin that closes its input cannot end the
  /// controller.
  ///
  /// - Parameter environment: The controller's variables, some of which manifests may name.
  package init(environment: [String: String], logger: Logger) {
    Glibc.signal(SIGPIPE, SIG_IGN)
    self.environment = environment
    self.logger = logger
  }

  /// Starts the plugin's process. `onExit` gets the exit status in words, once.
  package func launch(
    _ plugin: CataloguedPlugin, mask: ProcessSecretMask,
    onExit: @escaping @Sendable (String) -> Void
  ) throws(LaunchError) -> any LaunchedPlugin {
    var logger = logger
    logger[metadataKey: "plugin"] = "\(plugin.manifest.id)"
    return try PluginProcess(
      Self.program(of: plugin, environment: environment), mask: mask, logger: logger, onExit: onExit
    )
  }

  /// Returns how to start the plugin's program, with `question` as its argument.
  static func program(
    of plugin: CataloguedPlugin, _ question: String..., environment all: [String: String]
  ) -> ProgramStart {
    ProgramStart(
      plugin.program, plugin.manifest.command.dropFirst() + question,
      environment: environment(for: plugin.manifest, from: all), folder: plugin.folder,
      leadsGroup: true, input: .pipe, output: .pipe, error: .pipe)
  }

  /// The variables that the manifest names, if they are set and a manifest may name them.
  static func environment(for manifest: Manifest, from all: [String: String]) -> [String: String] {
    let names = manifest.environment.filter(Manifest.allowedEnvironment.contains)
    return all.filter { variable, _ in
      names.contains { name in
        name.hasSuffix("*") ? variable.hasPrefix(name.dropLast()) : variable == name
      }
    }
  }
}
