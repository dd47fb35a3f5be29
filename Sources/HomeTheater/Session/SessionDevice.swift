import Devices

/// A device of the theater, commanded within the limits of one principal.
///
/// It looks the device up by its name at each call, so it stays valid when the device is replaced.
final class SessionDevice: Device {
  let id: DeviceID
  let role: Role
  private let theater: HomeTheaterFacade
  private let principal: Principal

  init(_ id: DeviceID, _ role: Role, in theater: HomeTheaterFacade, for principal: Principal) {
    self.id = id
    self.role = role
    self.theater = theater
    self.principal = principal
  }

  nonisolated(nonsending) func perform(
    _ command: Command, until: Completion
  ) async throws(DeviceError) -> Confirmation {
    guard device != nil else {
      throw DeviceError(.unavailable, "the theater has no such device", device: id)
    }
    return try await theater.perform(command, on: id, until: until, by: principal)
  }

  nonisolated(nonsending) func snapshot() async -> DeviceSnapshot {
    await device?.snapshot() ?? Self.missing
  }

  func snapshots() async -> AsyncStream<DeviceSnapshot> {
    await device?.snapshots()
      ?? AsyncStream { reader in
        reader.yield(Self.missing)
        reader.finish()
      }
  }

  /// The device, if the principal may see it.
  private var device: (any Device)? {
    theater.devices(for: principal).first { $0.id == id && $0.role == role }
  }

  private static let missing = DeviceSnapshot(
    availability: .unavailable("the theater has no such device"))
}
