/// A device of one role: behind a plugin's process, in memory, or in a test.
///
/// Devices are objects: a theater tells a device from the one that replaces it by identity, not by
/// name. A type conforms to the protocol of its role, such as `Amplifier`, which supplies `role` and the
/// typed calls.
public protocol Device: AnyObject, Sendable {
  /// The name, unique in its theater.
  var id: DeviceID { get }
  /// The role, which decides the commands and the reported state.
  var role: Role { get }

  /// Gives the device a command, and waits until it is accepted or settled.
  ///
  /// Commands of one device are performed in the order of the calls; urgent ones go first. The call runs on the
  /// caller's actor until it waits, so calls from one actor arrive in the actor's order.
  ///
  /// - Returns: Whether the settled state was observed.
  /// - Throws: The reason why it was not performed; `.timeout` if the settled state does not come in
  ///   time.
  @discardableResult
  nonisolated(nonsending) func perform(
    _ command: Command, until: Completion
  ) async throws(DeviceError) -> Confirmation

  /// The present snapshot.
  nonisolated(nonsending) func snapshot() async -> DeviceSnapshot

  /// The present snapshot and every change from now on. A slow reader may miss intermediate snapshots,
  /// but gets the latest one.
  func snapshots() async -> AsyncStream<DeviceSnapshot>

  /// Returns what the device offers beyond commands and state; `nil` if it has no such facet.
  ///
  /// - Parameter type: The protocol of the facet: `(any LoudnessLimited).self`.
  func facet<Facet>(_ type: Facet.Type) -> Facet?
}

extension Device {
  /// The facets to which the type conforms.
  public func facet<Facet>(_ type: Facet.Type) -> Facet? { self as? Facet }
}

/// The moment until which a caller waits for a command.
public enum Completion: String, Sendable, Hashable, CaseIterable {
  /// Until the device has accepted it.
  case accepted
  /// Until the reported state shows it as done.
  case settled
}

/// The evidence for the end of a command.
public enum Confirmation: String, Sendable, Hashable {
  /// The device reported the settled state.
  case observed
  /// The device accepted the command; its state was not awaited, or cannot be observed.
  case accepted
}

/// The state, availability and capabilities of a device at one moment.
public struct DeviceSnapshot: Sendable, Hashable {
  /// The values that were reported or assumed so far.
  public var state: DeviceState
  /// Whether the device takes commands, and if not, why.
  public var availability: Availability
  /// The abilities that the device declared when it was opened.
  public var capabilities: Capabilities
  /// Rises by one each time the device's plugin starts anew: its cables must be plugged again.
  public var generation: Int
  /// Rises by one each time a player asks for a new connection to its amplifier: its cable must be
  /// plugged again.
  public var plugRequests: Int

  /// A snapshot of a device that is starting and has reported nothing, unless given otherwise.
  public init(
    state: DeviceState = DeviceState(), availability: Availability = .starting,
    capabilities: Capabilities = Capabilities(), generation: Int = 0, plugRequests: Int = 0
  ) {
    self.state = state
    self.availability = availability
    self.capabilities = capabilities
    self.generation = generation
    self.plugRequests = plugRequests
  }

  /// Whether there is contact with the device: its plugin runs and knows its state, as far as it has one.
  public var isReachable: Bool {
    availability == .available
      && (state.readings.isEmpty || state.readings.values.contains { $0.provenance != .unknown })
  }
}

/// Whether a device can be reached.
public enum Availability: Sendable, Hashable {
  case starting
  case available
  /// With the reason and the next attempt, for people.
  case unavailable(String)
}
