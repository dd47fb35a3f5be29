import JSON

/// The settings of a device that outlive a restart of the controller: the values that people chose last for volume,
/// mute, sound mode, station, brightness and the like.
package struct DeviceSettings: Sendable, Hashable {
  /// The role in which the device has them.
  package let role: Role
  /// Valid values of keys that are stored.
  package let values: [StateKey: JSON]

  /// Keeps those of `values` that a device of this role can be given, and drops all others.
  package init(role: Role, values: [StateKey: JSON]) {
    self.role = role
    self.values = values.filter { key, value in
      guard let spec = role.states.first(where: { $0.key == key }), spec.isStored else {
        return false
      }
      // Lights at 0 % are off, and power is not stored.
      if key == .brightness, value == 0 { return false }
      return !value.isNull && spec.shape.admits(value)
    }
  }
}
