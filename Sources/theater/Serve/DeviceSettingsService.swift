import Devices
import Logging
import PluginHost
import ServiceLifecycle
import Storage
import TheaterStorage

/// Keeps the stored settings of devices up to date: a change is written at once, further ones after a second.
struct DeviceSettingsService: Service {
  /// The shortest time between two writes.
  private static let interval = Duration.seconds(1)

  let cache: DeviceSettingsCache
  let store: DeviceSettingsDatabase
  let logger: Logger

  /// Loads the stored settings; without them the devices begin with their own.
  ///
  /// - Parameter devices: The configured devices; the settings of others are removed.
  func load(for devices: [DeviceID]) async {
    do {
      cache.load(try await store.settings())
      cache.removeAll(except: devices)
    } catch {
      logger.warning("volumes and stations of before are not known: \(error.message)")
      cache.load([:])
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var fault: String?
      for await _ in cache.changes {
        fault = await write(unlessLogged: fault)
        try? await Task.sleep(for: Self.interval)
      }
    }
    try await gracefulShutdown()
  }

  /// Writes what has changed.
  ///
  /// - Parameter known: A fault that the log has already.
  /// - Returns: The fault; `nil` if all is written.
  @discardableResult
  func write(unlessLogged known: String? = nil) async -> String? {
    let changes = cache.takeChanges()
    do {
      try await store.replace(changes)
      return nil
    } catch {
      cache.markChanged(changes.keys)
      if error.message != known {
        logger.warning("volumes and stations cannot be saved for the next start: \(error.message)")
      }
      return error.message
    }
  }
}
