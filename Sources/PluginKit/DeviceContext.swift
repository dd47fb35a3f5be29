import Devices
import JSON
import PluginProtocol

/// A device's name and options, and its connection to the controller.
public struct DeviceContext: Sendable {
  /// The name that `devices.json` gives it.
  public let device: DeviceID
  /// Its options, checked against the schema in the manifest, with defaults filled in.
  public let options: JSON
  private let connection: any Connection
  let reports: DeviceReports

  init(device: DeviceID, options: JSON, connection: any Connection) {
    self.device = device
    self.options = options
    self.connection = connection
    reports = DeviceReports(connection: connection)
  }

  /// Reports values of the device's state. Keys that are left out are unchanged.
  public func report(_ values: [StateKey: JSON], provenance: Provenance = .reported) {
    reports.send(StateNotification(device: device, values: values, provenance: provenance))
  }

  /// Reports a player's playback. A long reason is cut.
  public func report(_ playback: Playback) {
    report([.playback: (playback.bounded ?? playback).json])
  }

  /// Reports attributes beyond the keys of the role. Long texts are cut; a list or object that is larger
  /// than the protocol allows is left out.
  public func report(attributes: [String: Attribute]) {
    reports.send(
      StateNotification(
        device: device, values: [:], attributes: attributes.compactMapValues(\.bounded)))
  }

  /// Reports the levels of an amplifier's sound: at most 15 times a second, after
  /// `AmplifierDevice.setMetering(true)` and while it sounds.
  public func report(_ levels: SoundLevels) {
    let notification = LevelsNotification(device: device, levels: levels)
    // The end of the input shows that the controller is gone.
    try? connection.send(
      .notification(method: LevelsNotification.method, params: notification.params))
  }

  /// Asks the controller to plug a player's cable again: its connection was used up. A call of
  /// `PlayerDevice.plug(into:)` with a new token follows, as long as there is an amplifier. Requests that
  /// come faster than twice a second are dropped after a burst of 20.
  public func requestPlug() {
    let notification = PlugAgainNotification(device: device)
    // The end of the input shows that the controller is gone.
    try? connection.send(
      .notification(method: PlugAgainNotification.method, params: notification.params))
  }

  /// Writes to the controller's log.
  public func log(_ level: LogNotification.Level, _ message: String) {
    let notification = LogNotification(level, message, device: device)
    // The end of the input shows that the controller is gone.
    try? connection.send(
      .notification(method: LogNotification.method, params: notification.params))
  }
}
