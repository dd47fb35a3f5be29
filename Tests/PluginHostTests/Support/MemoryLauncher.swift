import Devices
import PluginHost
import PluginKit
import PluginProtocol
import Synchronization

/// Starts plugins made in a test, at the other end of memory.
final class MemoryLauncher: PluginLauncher {
  private struct State {
    var launched: [(id: String, plugin: MemoryPlugin)] = []
    var broken: Set<String> = []
  }
  private let plugins: [String: Plugin]
  private let state = Mutex(State())

  init(_ plugins: [String: Plugin]) { self.plugins = plugins }

  /// The ids of the plugins that were started, in order.
  var launches: [String] { state.withLock { $0.launched.map(\.id) } }

  /// The ids of the plugins that have not ended, in the order of their starts.
  var running: [String] {
    state.withLock { $0.launched.filter { !$0.plugin.hasEnded }.map(\.id) }
  }

  /// Makes each start of a plugin end at once.
  func breakAtStart(_ id: String) { state.withLock { _ = $0.broken.insert(id) } }

  /// Ends the newest process as a crash would.
  func crash() { state.withLock { $0.launched.last }?.plugin.end("signal 9 (Killed)") }

  func launch(
    _ plugin: CataloguedPlugin, mask: ProcessSecretMask,
    onExit: @escaping @Sendable (String) -> Void
  ) throws(LaunchError) -> any LaunchedPlugin {
    let id = plugin.manifest.id
    guard let code = plugins[id] else { throw LaunchError("there is no program \(id)") }
    let (controller, other) = InMemoryConnection.pair()
    let launched = MemoryPlugin(connection: controller, other: other, onExit: onExit)
    let isBroken = state.withLock { state in
      state.launched.append((id, launched))
      return state.broken.contains(id)
    }
    Task {
      if !isBroken { await code.serve(other) }
      launched.end("exit status \(isBroken ? 1 : 0)")
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
  let log = PluginLog()
  var hasEnded: Bool { onExit.withLock { $0 == nil } }
  func terminate() { end("signal 15 (Terminated)") }
  func kill() { end("signal 9 (Killed)") }

  func end(_ how: String) {
    // Closing also ends the plugin's task; the reason was recorded before.
    let tell = onExit.withLock { $0.take() }
    other.closeSending()
    connection.closeSending()
    tell?(how)
  }
}
