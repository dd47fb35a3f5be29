import Devices
import PluginHost
import PluginKit
import PluginProtocol
import Synchronization

/// Starts a plugin made in a test, at the other end of memory.
final class MemoryLauncher: PluginLauncher {
  private let plugin: Plugin
  private let state = Mutex<[MemoryPlugin]>([])

  init(_ plugin: Plugin) { self.plugin = plugin }

  /// How often it was started.
  var launches: Int { state.withLock { $0.count } }

  /// Ends the plugin as a crash would.
  func crash() { state.withLock { $0.last }?.end("signal 9 (Killed)") }

  func launch(
    _ plugin: CataloguedPlugin, mask: SecretMask, onExit: @escaping @Sendable (String) -> Void
  ) throws(LaunchError) -> any LaunchedPlugin {
    let (controller, other) = InMemoryConnection.pair()
    let launched = MemoryPlugin(connection: controller, other: other, onExit: onExit)
    state.withLock { $0.append(launched) }
    let code = self.plugin
    Task {
      await code.serve(other)
      launched.end("exit status 0")
    }
    return launched
  }
}

/// A plugin in memory.
final class MemoryPlugin: LaunchedPlugin {
  let connection: any Connection
  private let other: InMemoryConnection
  private let onExit: Mutex<(@Sendable (String) -> Void)?>

  init(
    connection: InMemoryConnection, other: InMemoryConnection,
    onExit: @escaping @Sendable (String) -> Void
  ) {
    self.connection = connection
    self.other = other
    self.onExit = Mutex(onExit)
  }

  let pid: Int32? = nil
  let stderrLines: [String] = []
  func terminate() { end("signal 15 (Terminated)") }
  func kill() { end("signal 9 (Killed)") }

  func end(_ how: String) {
    // Closing ends the plugin's own task, too; how it came to that was decided here before.
    let tell = onExit.withLock { $0.take() }
    other.closeSending()
    connection.closeSending()
    tell?(how)
  }
}
