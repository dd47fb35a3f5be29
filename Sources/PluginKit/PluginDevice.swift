import Devices

/// A device of a plugin: the commands of one role, and reports of its state.
///
/// Calls to one device are made one after the other, in order. `perform` returns as soon as the
/// device has accepted the command; longer work (a lamp that warms, a screen that moves) continues
/// in a task of the device and is reported. Values that change with acceptance are reported before
/// `perform` returns, so that no client reads an old state after the answer.
public protocol PluginDevice: Sendable {
  /// The typed commands of the device's role.
  associatedtype Command: RoleCommand

  /// Makes the device ready and reports its present state.
  ///
  /// - Returns: The capabilities of this device beyond the commands of its role.
  /// - Throws: The reason why it cannot be used; the controller tries again later.
  func open() async throws(DeviceError) -> Capabilities

  /// Carries out a command whose argument has been checked against its role's table.
  ///
  /// The task is cancelled if a newer command replaces this one.
  func perform(_ command: Command) async throws(DeviceError)

  /// Releases all resources. Called once, also if the controller is gone.
  func close() async
}

extension PluginDevice {
  /// Does nothing, for a device without resources.
  public func close() async {}
}

/// A player: a device that has a catalogue and sends sound over a cable.
public protocol PlayerDevice: PluginDevice {
  /// Lists the items that the player can play, from its own discs or from `folder` (an absolute
  /// path). Runs beside commands.
  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem]
  /// Lists the items of `scan`, and the files that the player leaves out, with the reasons. A player that implements it
  /// need not implement `scan` otherwise than by its items.
  func list(folder: String?) async throws(DeviceError) -> CatalogueListing
  /// Returns the picture of an item that the last scans have listed with `hasPicture`; `nil` if
  /// there is none. Runs beside commands and scans, one call at a time. Its task is cancelled when
  /// the device closes.
  func picture(of item: String) async throws(DeviceError) -> ItemPicture?
  /// Connects to this socket, and sends its sound there from now on.
  func plug(into socket: CableSocket) async throws(DeviceError)
  /// Plays on this lent ALSA PCM from now on, until `unplug`. Another player may hold the PCM for a
  /// moment longer, so retry a busy PCM. For cables of kind `alsa`.
  func plug(pcm: String) async throws(DeviceError)
  /// Closes the lent PCM before it returns. Playback continues without sound.
  func unplug() async throws(DeviceError)
}

extension PlayerDevice {
  /// The items of `scan`, with no word about other files.
  public func list(folder: String?) async throws(DeviceError) -> CatalogueListing {
    CatalogueListing(try await scan(folder: folder))
  }
  /// A player without pictures.
  public func picture(of item: String) async throws(DeviceError) -> ItemPicture? { nil }
  /// - Throws: `.unsupported`, for a player without cables of kind `alsa`.
  public func plug(pcm: String) async throws(DeviceError) { throw .noLending }
  /// - Throws: `.unsupported`, for a player without cables of kind `alsa`.
  public func unplug() async throws(DeviceError) { throw .noLending }
}

/// An amplifier: a device that plays the sound of cables.
public protocol AmplifierDevice: PluginDevice {
  /// Listens on a new socket for the player of `input`.
  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError)
  /// Lends its ALSA PCM to the player at `input`, until `openSocket` for the same input: while that
  /// input is selected and the amplifier is on, the PCM is closed. It is closed before the
  /// amplifier reports the input. For cables of kind `alsa`.
  ///
  /// - Returns: The PCM's name.
  func lend(input: String) async throws(DeviceError) -> String
  /// Begins or ends the reports of the sound's levels. Called beside the other calls, on the
  /// connection's thread, so it must return at once; only for a device that `open` gave the
  /// capability `levels`.
  func setMetering(_ isOn: Bool)
}

extension AmplifierDevice {
  /// Does nothing, for an amplifier without the capability `levels`.
  public func setMetering(_ isOn: Bool) {}
  /// - Throws: `.unsupported`, for an amplifier without cables of kind `alsa`.
  public func lend(input: String) async throws(DeviceError) -> String { throw .noLending }
}

extension DeviceError {
  fileprivate static let noLending = DeviceError(
    .unsupported, "this device has no cables of the kind alsa")
}
