import Devices
import Platform
import Synchronization

/// Keeps every cable plugged: at the start, again after either end has started anew, and after a
/// change of the configuration.
final class CableReconciler: Sendable {
  private let links = Mutex<[CableEdge: CableLink]>([:])
  /// One task for each source, because a source has at most one cable. The task of a new cable starts after that of the
  /// old cable has ended, so that unplugging the old cable cannot undo the new connection.
  private let tasks = TaskTable<DeviceID>()
  private let clock: any TheaterClock
  private let report: @Sendable (CableEdge, DeviceError?) -> Void

  /// - Parameter report: Receives `nil` for each cable that has been plugged, and each new reason why
  ///   one could not be.
  init(
    clock: any TheaterClock, report: @escaping @Sendable (CableEdge, DeviceError?) -> Void
  ) {
    self.clock = clock
    self.report = report
  }

  /// Replaces all cables. A cable whose ends are the same devices as before stays plugged.
  ///
  /// - Parameter snapshots: The newest snapshots of devices that were there before.
  func apply(
    _ edges: [CableEdge], devices: [DeviceID: any Device], snapshots: [DeviceID: DeviceSnapshot]
  ) {
    links.withLock { links in
      var new: [CableEdge: CableLink] = [:]
      // The cable between two amplifiers is a wire.
      for edge in edges where edge.level == nil {
        guard let source = devices[edge.from], let sink = devices[edge.to] else { continue }
        if let link = links[edge], link.connects(source, sink) {
          new[edge] = link
          continue
        }
        let link = CableLink(edge: edge, source: source, sink: sink, clock: clock) { [report] in
          report(edge, $0)
        }
        new[edge] = link
      }
      let sources = Set(new.keys.map(\.from))
      for (edge, link) in links where new[edge] !== link {
        link.markRemoved()
        if !sources.contains(edge.from) { tasks.set(edge.from, to: nil) }
      }
      for (edge, link) in new where links[edge] !== link {
        tasks.set(edge.from, to: { await link.run() })
        for id in [edge.from, edge.to] {
          if let snapshot = snapshots[id] { link.observe(snapshot, of: id) }
        }
      }
      links = new
    }
  }

  /// Passes a device's snapshot on to the cables that end at it.
  func observe(_ snapshot: DeviceSnapshot, of device: DeviceID) {
    for link in links.withLock({ $0.values }) { link.observe(snapshot, of: device) }
  }

  /// Plugs cables until cancelled. Each source has a task, so that a slow device delays only its own.
  func run() async { await tasks.run() }
}
