import Devices
import HomeTheater
import NIOCore
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

/// Runs the renewal of the certificate.
struct RenewalService: Service {
  let renewal: any CertificateKeeping

  func run() async throws { await cancelWhenGracefulShutdown { await renewal.run() } }
}

/// Prints the start report when all ports are open and no device is starting any more.
struct StartService: Service {
  let ports: ListeningPorts
  let plugins: PluginHost
  let report: StartReport

  func run() async throws {
    await cancelWhenGracefulShutdown {
      guard let port = await ports.allOpen() else { return }
      for device in plugins.devices {
        for await snapshot in await device.snapshots() where snapshot.availability != .starting {
          break
        }
      }
      if Task.isCancelled { return }
      Console.say(await report.text(port: port))
      StartUpPages.release()
    }
    try await gracefulShutdown()
  }
}

/// Collects the listeners as they open.
struct ListeningPorts: Sendable {
  private let count: Int
  private let channels: AsyncStream<Int?>
  private let channel: AsyncStream<Int?>.Continuation

  init(count: Int) {
    self.count = count
    (channels, channel) = AsyncStream.makeStream()
  }

  /// Notes that a listener is open.
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
