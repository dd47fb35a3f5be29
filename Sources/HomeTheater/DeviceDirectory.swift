import Devices
import Synchronization

/// The devices and the plan of a theater, and the newest snapshot of each device.
///
/// Devices and plan are replaced together, so a reader never sees parts of two configurations.
final class DeviceDirectory: Sendable {
  private struct State {
    var devices: [DeviceID: any Device]
    var plan: TheaterPlan
    var orderedDevices: [any Device]
    /// Made once for each plan, because every report of a device needs one.
    var descriptions: [DeviceID: DeviceDescription]
    var snapshots: [DeviceID: DeviceSnapshot] = [:]
  }
  private let state: Mutex<State>

  init(devices: [any Device], plan: TheaterPlan) {
    state = Mutex(
      State(
        devices: Self.table(devices), plan: plan, orderedDevices: Self.ordered(devices, by: plan),
        descriptions: Self.descriptions(of: devices, in: plan)))
  }

  var devices: [DeviceID: any Device] { state.withLock { $0.devices } }
  var plan: TheaterPlan { state.withLock { $0.plan } }
  /// The newest snapshot of each device that has reported.
  var snapshots: [DeviceID: DeviceSnapshot] { state.withLock { $0.snapshots } }

  /// The devices in the order of the plan; those without a place in it follow by name.
  var orderedDevices: [any Device] { state.withLock { $0.orderedDevices } }

  /// Describes a device.
  func description(of device: any Device) -> DeviceDescription {
    state.withLock { state in
      if let known = state.descriptions[device.id], known.role == device.role { return known }
      return state.plan.description(of: device.id, role: device.role)
    }
  }

  subscript(id: DeviceID) -> (any Device)? { state.withLock { $0.devices[id] } }

  func snapshot(of id: DeviceID) -> DeviceSnapshot? { state.withLock { $0.snapshots[id] } }

  /// The devices with a trait, in the order of `orderedDevices`.
  func devices(with trait: DeviceTrait.Kind) -> [any Device] {
    orderedDevices.filter { $0.role.has(trait) }
  }

  /// The devices of a role, in the order of `orderedDevices`.
  func devices(of role: Role) -> [any Device] { orderedDevices.filter { $0.role == role } }

  /// Whether this very device, not one that was replaced, belongs to the theater.
  func contains(_ device: any Device) -> Bool { self[device.id] === device }

  /// Stores the newest snapshot of a device.
  func record(_ snapshot: DeviceSnapshot, of id: DeviceID) {
    state.withLock { state in
      if state.devices[id] != nil { state.snapshots[id] = snapshot }
    }
  }

  /// Replaces the devices and the plan. A device that is not identical to the one of the same name
  /// keeps its newest snapshot until it reports; a device of another role has none.
  ///
  /// - Returns: The devices that are new or not identical, those that only have another description,
  ///   and the names of those that are gone.
  func replace(devices: [any Device], plan: TheaterPlan) -> (
    changed: [any Device], redescribed: [any Device], removed: [DeviceID]
  ) {
    let table = Self.table(devices)
    let descriptions = Self.descriptions(of: devices, in: plan)
    let ordered = Self.ordered(devices, by: plan)
    return state.withLock { state in
      let (before, old) = (state.devices, state.descriptions)
      state.devices = table
      state.plan = plan
      state.orderedDevices = ordered
      state.descriptions = descriptions
      state.snapshots = state.snapshots.filter { table[$0.key]?.role == before[$0.key]?.role }
      return (
        table.values.filter { before[$0.id] !== $0 }.sorted { $0.id < $1.id },
        ordered.filter { before[$0.id] === $0 && old[$0.id] != descriptions[$0.id] },
        before.keys.filter { table[$0] == nil }.sorted()
      )
    }
  }

  private static func ordered(_ devices: [any Device], by plan: TheaterPlan) -> [any Device] {
    let table = table(devices)
    let order = plan.devices.map(\.id)
    return (order + Set(table.keys).subtracting(order).sorted()).compactMap { table[$0] }
  }

  private static func descriptions(
    of devices: [any Device], in plan: TheaterPlan
  ) -> [DeviceID: DeviceDescription] {
    table(devices).mapValues { plan.description(of: $0.id, role: $0.role) }
  }

  private static func table(_ devices: [any Device]) -> [DeviceID: any Device] {
    Dictionary(devices.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
