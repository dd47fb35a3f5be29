import Devices
import PluginProtocol

extension PluginRunner {
  /// How it fares now.
  func status() -> PluginStatus {
    let pid = launched?.pid
    var status = PluginStatus(
      plugin: plugin.manifest.id, version: plugin.manifest.version, process: process,
      devices: devices.map(\.id), condition: condition, pid: pid, restarts: supervision.restarts,
      memory: pid.flatMap(ProcessFacts.memory),
      lastMessage: refusals.sorted { $0.key < $1.key }.first?.value.description ?? warning
        ?? problem ?? launched?.stderrLines.last, stderr: launched?.stderrLines ?? [])
    if let session { status.messages = session.messages }
    return status
  }

  /// The warning about dropped reports of this start, while the plugin runs.
  private var warning: String? {
    guard supervision.phase == .running else { return nil }
    return devices.lazy.compactMap { self.proxies[$0.id]?.warning }.first ?? router?.warning
  }

  private var condition: PluginStatus.Condition {
    switch supervision.phase {
    case .discovered, .spawned, .handshaken: .starting
    case .configured: .stopped(by: .configuration)
    case .running: .running
    case .stopping(let failure): failure.map { .stopped(by: $0.cause) } ?? .ended
    case .stopped: .ended
    case .failed(let failure, _): .stopped(by: failure.cause)
    }
  }
}
