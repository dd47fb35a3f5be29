import Glibc
import Platform
import PluginProtocol

/// A way to start plugins: as processes, or in memory for tests.
package protocol PluginLauncher: Sendable {
  /// Starts a plugin.
  ///
  /// - Parameters:
  ///   - mask: Hides the plugin's secrets in its log.
  ///   - onExit: Called once when it has ended, with its exit status: "exit status 1".
  /// - Throws: The reason why it could not be started, for people.
  func launch(
    _ plugin: CataloguedPlugin, mask: ProcessSecretMask,
    onExit: @escaping @Sendable (String) -> Void
  ) throws(LaunchError) -> any LaunchedPlugin

  /// Runs the plugin's self-check.
  ///
  /// - Parameter onComplaint: Called with the plugin's message if the check fails.
  func check(_ plugin: CataloguedPlugin, onComplaint: @escaping @Sendable (String) -> Void)
}

extension PluginLauncher {
  /// Does nothing: a plugin in memory has no self-check.
  package func check(
    _ plugin: CataloguedPlugin, onComplaint: @escaping @Sendable (String) -> Void
  ) {}
}

/// A plugin that was started.
package protocol LaunchedPlugin: Sendable {
  /// The id of its process; `nil` in memory.
  var pid: Int32? { get }
  /// The connection to it.
  var connection: any Connection { get }
  /// Sends SIGTERM to its whole process group.
  func terminate()
  /// Sends SIGKILL to its whole process group.
  func kill()
  /// Its last lines.
  var log: PluginLog { get }
}

/// The reason why a plugin could not be started.
package struct LaunchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason and the next action, for people.
  package let message: String
  package init(_ message: String) { self.message = message }
  package var description: String { message }
}

extension ChildProcess {
  /// Starts a plugin's program.
  static func start(_ program: ProgramStart) throws(LaunchError) -> ChildProcess {
    do {
      return try ChildProcess(program)
    } catch {
      throw LaunchError(explanation(of: error, starting: program.program))
    }
  }

  private static func explanation(of error: SystemError, starting program: String) -> String {
    switch error.code {
    case ENOENT where !program.contains("/"):
      "the program \(program) is not installed, or not found along PATH"
    case ENOENT: "there is no program \(program), or its interpreter is missing"
    case EACCES: "the program \(program) may not be started; chmod +x may mend it"
    case ENOEXEC: "\(program) is not a program for this machine"
    case EAGAIN: "no process can be started: the limit is reached; see ulimit -u"
    case EMFILE, ENFILE: "no pipe can be made: \(error); see ulimit -n"
    default: "\(program) cannot be started: \(error)"
    }
  }
}
