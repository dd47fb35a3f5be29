import Devices

/// Keeps every cable plugged: at the start, and again after either end has started anew.
final class CableReconciler: Sendable {
  private let links: [CableLink]

  /// - Parameter report: Receives `nil` for each cable that has been plugged, and each new reason why
  ///   one could not be.
  init(
    edges: [CableEdge], devices: [DeviceID: any Device], clock: any TheaterClock,
    report: @escaping @Sendable (CableEdge, DeviceError?) -> Void
  ) {
    links = edges.compactMap { edge in
      guard let source = devices[edge.from], let sink = devices[edge.to] else { return nil }
      return CableLink(edge: edge, source: source, sink: sink, clock: clock) { report(edge, $0) }
    }
  }

  /// Passes a device's snapshot on to the cables that end at it.
  func observe(_ snapshot: DeviceSnapshot, of device: DeviceID) {
    for link in links { link.observe(snapshot, of: device) }
  }

  /// Plugs cables until cancelled. Each cable has a task, so that a slow device delays only its own.
  func run() async {
    await withDiscardingTaskGroup { group in
      for link in links { group.addTask { await link.run() } }
    }
  }
}
