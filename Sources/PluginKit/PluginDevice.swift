import Devices

/// A device as a plugin's author writes it: one role's commands, and what it reports.
///
/// Calls of one device come one after the other, in order. `perform` returns as soon as the device
/// has accepted the command; what takes longer (a lamp that warms, a screen that travels) goes on
/// in the device's own task and is reported. Values that change with acceptance are reported
/// before `perform` returns, so that no client reads a stale state after the answer.
public protocol PluginDevice: Sendable {
  associatedtype Command: RoleCommand

  /// Makes the device ready and reports its present state.
  ///
  /// - Returns: The capabilities of this device beyond the commands of its role.
  /// - Throws: Why it cannot be used; the controller tries again later.
  func open() async throws(DeviceError) -> Capabilities

  /// Carries out a command whose argument has been checked against its role's table.
  ///
  /// The task is cancelled when the command is not wanted any more.
  func perform(_ command: Command) async throws(DeviceError)

  /// Lets go of everything. Called once, also when the controller is gone.
  func close() async
}

extension PluginDevice {
  public func close() async {}
}

/// A player: a device that has a catalogue and sends sound over a cable.
public protocol PlayerDevice: PluginDevice {
  /// Lists what the player can play, from its own discs or from `folder` (an absolute path).
  /// Runs beside commands.
  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem]
  /// Sends its sound into this socket from now on.
  func plug(into socket: CableSocket) async throws(DeviceError)
  /// Plays on this ALSA PCM from now on, which is lent to it, until `unplug`. The one before may
  /// hold it for a moment longer: a PCM that is busy is tried again. For cables of kind `alsa`.
  func plug(pcm: String) async throws(DeviceError)
  /// Closes the PCM that it was lent, before it returns. Playback goes on unheard.
  func unplug() async throws(DeviceError)
}

extension PlayerDevice {
  public func plug(pcm: String) async throws(DeviceError) { throw .noLending }
  public func unplug() async throws(DeviceError) { throw .noLending }
}

/// An amplifier: a device that hears cables.
public protocol AmplifierDevice: PluginDevice {
  /// Waits on a new socket for a player that `input` will hear.
  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError)
  /// Lends its ALSA PCM to the player at `input`, until `openSocket` for the same input: while that
  /// is selected and the amplifier is on, it has closed the PCM before it reports the input. For
  /// cables of kind `alsa`.
  ///
  /// - Returns: The PCM's name.
  func lend(input: String) async throws(DeviceError) -> String
}

extension AmplifierDevice {
  public func lend(input: String) async throws(DeviceError) -> String { throw .noLending }
}

extension DeviceError {
  fileprivate static let noLending = DeviceError(
    .unsupported, "this device has no cables of the kind alsa")
}
