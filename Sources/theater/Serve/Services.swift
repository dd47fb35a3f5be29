import HomeTheater
import NIOCore
import PluginHost
import ServiceLifecycle

/// The theater's own work, for as long as the controller runs.
struct TheaterService: Service {
  let theater: HomeTheaterFacade

  func run() async throws {
    await cancelWhenGracefulShutdown { await theater.run() }
  }
}

/// Says how everything is, once it is.
struct StartService: Service {
  let ports: ListeningPorts
  let plugins: PluginHost
  let report: StartReport

  func run() async throws {
    let port = await ports.allOpen()
    await plugins.waitUntilSettled()
    Console.say(await report.text(port: port))
    try await gracefulShutdown()
  }
}

/// Counts the listeners that are open.
actor ListeningPorts {
  private var missing: Int
  private var port: Int?
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { missing = count }

  /// A listener is open.
  func opened(_ channel: any Channel) {
    port = port ?? channel.localAddress?.port
    missing -= 1
    guard missing <= 0 else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Waits until all are, and tells the TCP port.
  func allOpen() async -> Int? {
    if missing > 0 { await withCheckedContinuation { waiting.append($0) } }
    return port
  }
}
