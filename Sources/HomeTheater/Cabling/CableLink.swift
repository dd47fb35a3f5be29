import Devices
import Platform
import Synchronization

/// One cable, which is plugged again whenever either end has started anew.
final class CableLink: Sendable {
  private let edge: CableEdge
  private let devices: (source: any Device, sink: any Device)
  /// The ends of the cable at the devices, or why a device has none.
  private let source: Result<any SoundSource, DeviceError>
  private let sink: Result<any SoundSink, DeviceError>
  private let clock: any TheaterClock
  private let report: @Sendable (DeviceError?) -> Void
  private let ends = Mutex(CableEnds())
  private let isRemoved = Mutex(false)
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  init(
    edge: CableEdge, source: any Device, sink: any Device, clock: any TheaterClock,
    report: @escaping @Sendable (DeviceError?) -> Void
  ) {
    self.edge = edge
    devices = (source, sink)
    self.source = source.cableEnd()
    self.sink = sink.cableEnd()
    self.clock = clock
    self.report = report
    (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Whether the cable joins these very devices.
  func connects(_ source: any Device, _ sink: any Device) -> Bool {
    devices.source === source && devices.sink === sink
  }

  /// Makes the end of `run` take a lent PCM back from the source: the cable is removed.
  func markRemoved() { isRemoved.withLock { $0 = true } }

  /// Updates the snapshot of an end; ignores other devices.
  func observe(_ snapshot: DeviceSnapshot, of device: DeviceID) {
    guard device == edge.from || device == edge.to else { return }
    let isNews = ends.withLock { ends in
      let before = ends.connection(at: edge.input)
      if device == edge.from { ends.source = snapshot } else { ends.sink = snapshot }
      return ends.connection(at: edge.input) != before
    }
    if isNews { change.yield() }
  }

  /// The present state of the cable.
  private struct Progress {
    /// The generations of the ends for which the cable is plugged or the PCM is lent, or for which
    /// nothing can be done.
    var connected: [Int]?
    /// The name of the lent PCM.
    var pcm: String?
    /// Whether the source has the lent PCM; `nil` if it may have it.
    var hasPCM: Bool? = false
  }

  /// Plugs the cable until cancelled.
  func run() async {
    var progress = Progress()
    await plug(&progress)
    guard isRemoved.withLock(\.self), progress.hasPCM != false else { return }
    // Outside this task, which is cancelled.
    await Task { [source] in try? await source.get().unplug() }.value
  }

  private func plug(_ progress: inout Progress) async {
    var failure: DeviceError?
    var attempted: CableEnds.Connection?
    var pause = Self.shortestPause
    var nextAttempt = Duration.zero
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    for await _ in changes {
      guard let connection = ends.withLock({ $0.connection(at: edge.input) }) else {
        // An unavailable source has closed its PCM.
        progress.hasPCM = false
        continue
      }
      timer?.cancel()
      if failure != nil, connection == attempted, clock.now() < nextAttempt {
        timer = startTimer(until: nextAttempt)
        continue
      }
      if connection.generations != attempted?.generations { pause = Self.shortestPause }
      attempted = connection
      let before = progress.connected
      do throws(DeviceError) {
        try await connect(&progress, by: connection)
        if failure != nil || progress.connected != before { report(nil) }
        failure = nil
        pause = Self.shortestPause
      } catch {
        // The theater ends.
        if Task.isCancelled { return }
        if error != failure { report(error) }
        if case .impossible = connection.kind {
          // Only a new start of either end can change this.
          progress.connected = connection.generations
          continue
        }
        failure = error
        // Both ends are available: try again, at growing intervals.
        nextAttempt = clock.now() + pause
        timer = startTimer(until: nextAttempt)
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  /// Asks for another attempt at a time. A change of the ends is not kept waiting meanwhile.
  private func startTimer(until time: Duration) -> Task<Void, Never> {
    Task { [clock, change] in
      if (try? await clock.sleep(until: time)) != nil { change.yield() }
    }
  }

  /// Intervals before another attempt.
  private static let shortestPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  private func connect(
    _ progress: inout Progress, by connection: CableEnds.Connection
  ) async throws(DeviceError) {
    if connection.kind != .alsa(isSelected: true) { try await reclaimPCM(&progress) }
    guard connection.generations != progress.connected else {
      if connection.kind == .alsa(isSelected: true) { try await lendPCM(&progress) }
      return
    }
    switch connection.kind {
    case .none, .wired: return
    case .impossible(let error): throw error
    case .pcm:
      let socket = try await sink.get().openSocket(input: edge.input)
      try await source.get().plug(into: socket)
    case .alsa(let isSelected):
      progress.pcm = try await sink.get().lend(input: edge.input)
      // The name may be another one, so the source gets it again.
      if progress.hasPCM == true { progress.hasPCM = nil }
      progress.connected = connection.generations
      if isSelected { try await lendPCM(&progress) }
    }
    progress.connected = connection.generations
  }

  /// Gives the lent PCM to the source.
  private func lendPCM(_ progress: inout Progress) async throws(DeviceError) {
    guard let pcm = progress.pcm, progress.hasPCM != true else { return }
    progress.hasPCM = nil
    try await source.get().plug(pcm: pcm)
    progress.hasPCM = true
  }

  /// Makes the source close the lent PCM.
  private func reclaimPCM(_ progress: inout Progress) async throws(DeviceError) {
    guard progress.hasPCM != false else { return }
    try await source.get().unplug()
    progress.hasPCM = false
  }
}

extension Device {
  /// Returns the device's facet for cables; `unsupported` if it has none.
  fileprivate func cableEnd<End>() -> Result<End, DeviceError> {
    guard let end = facet(End.self) else {
      return .failure(DeviceError(.unsupported, "this \(role.title) has no cables", device: id))
    }
    return .success(end)
  }
}
