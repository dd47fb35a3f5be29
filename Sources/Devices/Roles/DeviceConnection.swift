import JSON

/// A device that passes every call on to another one.
///
/// It gives a device of any role the type of its role, or adds to single calls: a member that the
/// conforming type declares itself takes the place of the one passed on.
public protocol DeviceConnection: Device {
  /// The device that carries out the calls.
  var device: any Device { get }
}

extension DeviceConnection {
  public var id: DeviceID { device.id }

  public nonisolated(nonsending) func perform(
    _ command: Command, until: Completion
  ) async throws(DeviceError) -> Confirmation {
    try await device.perform(command, until: until)
  }
  public nonisolated(nonsending) func snapshot() async -> DeviceSnapshot {
    await device.snapshot()
  }
  public func snapshots() async -> AsyncStream<DeviceSnapshot> { await device.snapshots() }
  public func facet<Facet>(_ type: Facet.Type) -> Facet? { self as? Facet ?? device.facet(type) }
}

extension Device {
  /// Performs a command of the role's table by its name.
  @discardableResult
  nonisolated(nonsending) func perform(
    _ name: String, _ argument: JSON? = nil, until: Completion = .settled
  ) async throws(DeviceError) -> Confirmation {
    let command: Command
    do {
      command = try Command(name, argument: argument, role: role)
    } catch {
      throw DeviceError(.invalid, error.message, hint: error.hint, device: id)
    }
    return try await perform(command, until: until)
  }

  /// Performs a typed command, if it is one of this device's role.
  @discardableResult
  package nonisolated(nonsending) func perform<Typed: RoleCommand>(
    _ command: Typed, until: Completion = .settled
  ) async throws(DeviceError) -> Confirmation {
    guard Typed.role == role else {
      throw DeviceError(
        .unsupported, "this is a \(role.title), not a \(Typed.role.title)", device: id)
    }
    let parts = command.invocation
    return try await perform(parts.name.rawValue, parts.argument, until: until)
  }
}
