import Devices
import Synchronization

/// Keeps every cable plugged: at the start, and again after either end has started anew.
final class Cabling: Sendable {
  private let keepers: [CableKeeper]

  /// - Parameter report: Told of each cable that was plugged (`nil`) or could not be, once a reason.
  init(
    edges: [CableEdge], devices: [DeviceID: any Device], clock: any TheaterClock,
    report: @escaping @Sendable (CableEdge, DeviceError?) -> Void
  ) {
    keepers = edges.compactMap { edge in
      guard let source = devices[edge.from], let sink = devices[edge.to] else { return nil }
      return CableKeeper(edge: edge, source: source, sink: sink, clock: clock) { report(edge, $0) }
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

/// Keeps one cable plugged.
private final class CableKeeper: Sendable {
  private let edge: CableEdge
  private let source: any Device
  private let sink: any Device
  private let clock: any TheaterClock
  private let report: @Sendable (DeviceError?) -> Void
  private let ends = Mutex(Ends())
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  private struct Ends {
    var source: DeviceSnapshot?
    var sink: DeviceSnapshot?

    /// The generations to be joined, when both ends are there; with what keeps them apart, when
    /// they turn out to have no kind of cable in common. Wired ends are joined already.
    var joinable: (generations: [Int], obstacle: DeviceError?)? {
      guard let source, let sink, source.availability == .available,
        sink.availability == .available
      else { return nil }
      let generations = [source.generation, sink.generation]
      let kinds = (source.capabilities.cables, sink.capabilities.cables)
      let common = Set(kinds.0).intersection(kinds.1)
      if common.contains(.pcm) { return (generations, nil) }
      if common.contains(.wired) { return nil }
      return (generations, .noCommonCable(from: kinds.0, to: kinds.1))
    }
  }

  init(
    edge: CableEdge, source: any Device, sink: any Device, clock: any TheaterClock,
    report: @escaping @Sendable (DeviceError?) -> Void
  ) {
    self.edge = edge
    self.source = source
    self.sink = sink
    self.clock = clock
    self.report = report
    (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func note(_ snapshot: DeviceSnapshot, of device: DeviceID) {
    guard device == edge.from || device == edge.to else { return }
    let isNews = ends.withLock { ends in
      let before = ends.joinable?.generations
      if device == edge.from { ends.source = snapshot } else { ends.sink = snapshot }
      return ends.joinable?.generations != before
    }
    if isNews { change.yield() }
  }

  func run() async {
    var joined: [Int]?
    var failure: DeviceError?
    var pause = Self.shortestPause
    for await _ in changes {
      guard let (wanted, obstacle) = ends.withLock({ $0.joinable }), wanted != joined else {
        continue
      }
      if let obstacle {
        // Trying again helps nobody; another start of either end may.
        report(obstacle)
        joined = wanted
        continue
      }
      let outcome = await plug()
      if outcome != failure || outcome == nil { report(outcome) }
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

  /// How long it waits before it tries again what did not fit.
  private static let shortestPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  /// - Returns: Why it could not be plugged; `nil` when it is.
  private func plug() async -> DeviceError? {
    do {
      try await source.plug(into: try await sink.openSocket(input: edge.input))
      return nil
    } catch {
      return error
    }
  }
}

extension DeviceError {
  /// What the two plugins said of their ends when they opened them.
  fileprivate static func noCommonCable(from: [CableKind], to: [CableKind]) -> DeviceError {
    func words(_ kinds: [CableKind]) -> String {
      kinds.isEmpty ? "none" : kinds.map(\.rawValue).joined(separator: ", ")
    }
    return DeviceError(
      .unsupported,
      "no cable fits both ends: the player has \(words(from)), the amplifier \(words(to))",
      hint: "Use plugins that both have pcm.")
  }
}
