import Devices
import JSON
import PluginProtocol

/// What a device is given by the plugin's frame: its name and options, and a voice.
public struct DeviceContext: Sendable {
  /// The name that `devices.json` gives it.
  public let device: DeviceID
  /// Its options, checked against the schema in the manifest, with defaults filled in.
  public let options: JSON
  private let connection: any Connection

  init(device: DeviceID, options: JSON, connection: any Connection) {
    self.device = device
    self.options = options
    self.connection = connection
  }

  /// Tells what is true of the device now. Keys that are left out are unchanged.
  public func report(_ values: [StateKey: JSON], provenance: Provenance = .reported) {
    notify(StateNotification(device: device, values: values, provenance: provenance))
  }

  /// Tells what a player plays. A long reason is cut.
  public func report(_ playback: Playback) {
    report([.playback: (playback.bounded ?? playback).json])
  }

  /// Tells something beyond the keys of the role. Long texts are cut; a list or object that is larger
  /// than the protocol allows is left out.
  public func report(attributes: [String: Attribute]) {
    notify(
      StateNotification(
        device: device, values: [:], attributes: attributes.compactMapValues(\.bounded)))
  }

  /// Writes to the controller's log.
  public func log(_ level: LogNotification.Level, _ message: String) {
    notify(LogNotification(level, message, device: device))
  }

  private func notify(_ notification: some PluginNotification) {
    let method = type(of: notification).method
    // A controller that is gone is noticed by the end of its input; there is nobody to tell here.
    try? connection.send(.notification(method: method, params: notification.params))
  }
}
