import Devices
import PluginHost
import PluginProtocol
import Testing

/// A supervision without jitter, and shorthands for its inputs.
struct SupervisionScenario {
  var supervision: Supervision
  let devices: [DeviceID]
  var now = Duration.zero
  var lastLine = Duration.zero

  init(devices: [DeviceID] = ["lamp"], random: Double = 0.5) {
    self.devices = devices
    supervision = Supervision(plugin: "P", devices: devices) { random }
  }

  @discardableResult
  mutating func handle(_ input: Supervision.Input) -> [Supervision.Action] {
    supervision.handle(input, at: now)
  }

  /// Brings it to `running`.
  mutating func run() {
    handle(.start)
    handle(.spawned)
    handle(.initialized(.init(version: .current, plugin: "P", pluginVersion: "1")))
    for device in devices { handle(.opened(device)) }
  }

  /// Advances the time, in which the process writes no line.
  ///
  /// - Parameter busy: Whether requests to the process are open.
  mutating func advance(by time: Duration, busy: Bool = false) -> [Supervision.Action] {
    now += time
    return handle(.tick(lastLine: lastLine, hasOpenRequests: busy))
  }

  mutating func receiveLine(after time: Duration) -> [Supervision.Action] {
    now += time
    lastLine = now
    return handle(.tick(lastLine: lastLine, hasOpenRequests: false))
  }
}

extension [Supervision.Action] {
  var wakeTimes: [Duration] {
    compactMap { if case .wake(let time) = $0 { time } else { nil } }
  }
}
