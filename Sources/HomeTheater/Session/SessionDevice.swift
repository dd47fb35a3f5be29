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
    try await theater.perform(command, on: id, until: until, by: principal)
  }

  nonisolated(nonsending) func snapshot() async -> DeviceSnapshot {
    await theater.devices[id]?.snapshot() ?? Self.missing
  }

  func snapshots() async -> AsyncStream<DeviceSnapshot> {
    await theater.devices[id]?.snapshots()
      ?? AsyncStream { reader in
        reader.yield(Self.missing)
        reader.finish()
      }
  }

  private static let missing = DeviceSnapshot(
    availability: .unavailable("the theater has no such device"))
}
