import Devices
import Synchronization

/// Keeps every cable plugged: at the start, and again after either end has started anew.
final class Cabling: Sendable {
  private let edges: [CableEdge]
  private let devices: [DeviceID: any Device]
  private let clock: any TheaterClock
  private let report: @Sendable (CableEdge, DeviceError?) -> Void

  /// - Parameter report: Told of each cable that was plugged (`nil`) or could not be, once a reason.
  init(
    edges: [CableEdge], devices: [DeviceID: any Device], clock: any TheaterClock,
    report: @escaping @Sendable (CableEdge, DeviceError?) -> Void
  ) {
    self.edges = edges
    self.devices = devices
    self.clock = clock
    self.report = report
  }

  /// Watches all edges until cancelled; one child task each, so that a slow end delays no other.
  func run() async {
    await withDiscardingTaskGroup { group in
      for edge in edges {
        guard let source = devices[edge.from], let sink = devices[edge.to] else { continue }
        group.addTask { await self.keep(edge, from: source, to: sink) }
      }
    }
  }

  /// What is known of both ends, written by the two watchers.
  private final class Watched: Sendable {
    let ends = Mutex(Ends())
  }

  private struct Ends: Sendable, Hashable {
    var source: DeviceSnapshot?
    var sink: DeviceSnapshot?

    /// The generations to be joined, when both ends are there and have a socket in common.
    var joinable: [Int]? {
      guard let source, let sink, source.availability == .available,
        sink.availability == .available, source.capabilities.cables.contains(.pcm),
        sink.capabilities.cables.contains(.pcm)
      else { return nil }
      return [source.generation, sink.generation]
    }
  }

  private func keep(_ edge: CableEdge, from source: any Device, to sink: any Device) async {
    let watched = Watched()
    let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await snapshot in await source.snapshots() {
          watched.ends.withLock { $0.source = snapshot }
          change.yield()
        }
      }
      group.addTask {
        for await snapshot in await sink.snapshots() {
          watched.ends.withLock { $0.sink = snapshot }
          change.yield()
        }
      }
      var joined: [Int]?
      var failure: DeviceError?
      var pause = Self.shortestPause
      for await _ in changes {
        guard let wanted = watched.ends.withLock({ $0.joinable }), wanted != joined else {
          continue
        }
        let outcome = await plug(edge, from: source, to: sink)
        if outcome != failure || outcome == nil { report(edge, outcome) }
        failure = outcome
        guard outcome != nil else {
          joined = wanted
          pause = Self.shortestPause
          continue
        }
        // The ends are there but did not join: try again, ever more seldom.
        guard (try? await clock.sleep(until: clock.now() + pause)) != nil else { return }
        pause = min(pause * 2, Self.longestPause)
        change.yield()
      }
    }
  }

  /// How long it waits before it tries again what did not fit.
  static let shortestPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(30)

  /// - Returns: Why it could not be plugged; `nil` when it is.
  private func plug(_ edge: CableEdge, from source: any Device, to sink: any Device) async
    -> DeviceError?
  {
    do {
      try await source.plug(into: try await sink.openSocket(input: edge.input))
      return nil
    } catch {
      return error
    }
  }
}
