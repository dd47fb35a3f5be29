import Devices

/// A cable as `devices.json` names it: which source is heard on which input of which amplifier.
package struct CableEdge: Sendable, Hashable {
  /// A player or tuner.
  package var from: DeviceID
  /// An amplifier.
  package var to: DeviceID
  /// The amplifier's name for it: `dvd`.
  package var input: String

  package init(from: DeviceID, to: DeviceID, input: String) {
    self.from = from
    self.to = to
    self.input = input
  }
}
