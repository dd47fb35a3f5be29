import Devices
import Synchronization

/// Keeps every cable plugged: at the start, and again after either end has started anew.
final class Cabling: Sendable {
  private let keepers: [CableReconciler]

  /// - Parameter report: Told of each cable that was plugged (`nil`) or could not be, once a reason.
  init(
    edges: [CableEdge], devices: [DeviceID: any Device], clock: any TheaterClock,
    report: @escaping @Sendable (CableEdge, DeviceError?) -> Void
  ) {
    keepers = edges.compactMap { edge in
      guard let source = devices[edge.from], let sink = devices[edge.to] else { return nil }
      return CableReconciler(edge: edge, source: source, sink: sink, clock: clock) {
        report(edge, $0)
      }
    }
  }

  /// Takes what is known of a device now.
  func note(_ snapshot: DeviceSnapshot, of device: DeviceID) {
    for keeper in keepers { keeper.note(snapshot, of: device) }
  }

  /// Plugs what is to be plugged until cancelled; one child task a cable, so that a slow end delays
  /// no other.
  func run() async {
    await withDiscardingTaskGroup { group in
      for keeper in keepers { group.addTask { await keeper.run() } }
    }
  }
}
