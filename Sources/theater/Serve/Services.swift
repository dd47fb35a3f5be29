import Accounts
import Devices
import HomeTheater
import JSON
import Jobs
import Logging
import NIOCore
import Platform
import PluginHost
import ServiceLifecycle
import WebServer

/// Runs the facade's background work.
struct TheaterService: Service {
  let theater: HomeTheaterFacade

  func run() async throws {
    await cancelWhenGracefulShutdown { await theater.run() }
  }
}

/// Lowers the number of concurrent password hashes while an activity is on.
struct HashingService: Service {
  let hashes: JobQueue
  let theater: HomeTheaterFacade

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await theater.observeActivity {
        hashes.resize(to: PasswordHasher.workers(duringActivity: $0))
      }
    }
    try await gracefulShutdown()
  }
}

/// Runs the renewal of the certificate.
struct RenewalService: Service {
  let renewal: any CertificateUpdater

  func run() async throws { await cancelWhenGracefulShutdown { await renewal.run() } }
}

/// Applies each edit of the configuration's file.
struct ConfigurationWatchService: Service {
  let runtime: TheaterRuntime
  /// The path of the file.
  let path: String
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      do throws(SystemError) {
        let watcher = try FileWatcher(path) { warn($0) }
        // The file may have changed since the start.
        await runtime.reload()
        for await _ in watcher.changes { await runtime.reload() }
      } catch {
        warn(error)
      }
    }
    try await gracefulShutdown()
  }

  private func warn(_ error: SystemError) {
    logger.warning("\(path) cannot be watched, so edits take effect at the next start: \(error)")
  }
}

/// Prints the start report: the addresses when all ports are open, and the devices when none is
/// starting any more.
struct StartService: Service {
  let ports: ListeningPorts
  let plugins: PluginHost
  let report: StartReport

  func run() async throws {
    await cancelWhenGracefulShutdown {
      guard let port = await ports.allOpen() else { return }
      Console.writeLine(
        Console.isJSON ? report.addresses(port: port).text() : report.text(port: port))
      for device in plugins.devices {
        for await snapshot in await device.snapshots() where snapshot.availability != .starting {
          break
        }
      }
      if Task.isCancelled { return }
      Console.writeLine(
        Console.isJSON ? await report.devices().text() : await report.deviceTable())
      StartUpPages.release()
    }
    try await gracefulShutdown()
  }
}

/// A counter of the listeners that have opened; `allOpen` waits for the last one.
struct ListeningPorts: Sendable {
  private let count: Int
  private let channels: AsyncStream<Int?>
  private let channel: AsyncStream<Int?>.Continuation

  init(count: Int) {
    self.count = count
    (channels, channel) = AsyncStream.makeStream()
  }

  /// Records that a listener is open.
  func opened(_ channel: any Channel) { self.channel.yield(channel.localAddress?.port) }

  /// Waits until all listeners are open and returns the TCP port; `nil` if the task is cancelled.
  func allOpen() async -> Int? {
    var open = 0
    var port: Int?
    for await each in channels {
      open += 1
      port = port ?? each
      if open == count { return port }
    }
    return nil
  }
}
