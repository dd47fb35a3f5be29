import Devices
import HomeTheater
import JSON

/// The configuration that the controller holds.
package protocol ConfigurationService: Sendable {
  /// The mistakes in another text, as the component `ConfigurationCheck` of the API.
  func check(_ text: [UInt8]) async -> JSON
  /// The difference between the file, or another text, and the configuration in force, as the component
  /// `ConfigurationDifference`.
  func differenceAnswer(to text: [UInt8]?) async -> JSON
  /// Returns the present text of the file.
  ///
  /// - Throws: `notNow` if it cannot be read.
  func text() async throws(TheaterError) -> [UInt8]
  /// Replaces the text of the file and applies it, or does neither.
  ///
  /// - Parameter isBase: Returns whether the current text is the one from which `text` was made.
  /// - Returns: The members `problems` and `changes` of the component `SavedConfiguration`; for a text
  ///   with mistakes `problems` alone.
  /// - Throws: `notNow` if the present text is another one or the file cannot be written.
  func save(
    _ text: [UInt8], replacing isBase: @escaping @Sendable ([UInt8]) -> Bool,
    by principal: Principal
  ) async throws(TheaterError) -> JSONObject
  /// Gives a device another plugin; returns the component `PluginSwap`.
  func swapPlugin(
    of device: DeviceID, to choice: PluginChoice, by principal: Principal
  ) async throws -> JSON
  /// The newest edit of the file, as the component `RefusedEdit`; `nil` if the file is in force.
  var refusedEdit: JSON? { get async }
}

/// Another plugin for a device.
package struct PluginChoice: Sendable, Hashable {
  /// The plugin's id.
  package var plugin: String
  /// All options; `nil` for those of the file if it names this plugin, else for the defaults.
  package var options: JSONObject?
  /// The label of the process; `nil` for the one of the file.
  package var process: String?
  /// Whether the device's entry in the file is changed.
  package var isSaved: Bool

  package init(plugin: String, options: JSONObject?, process: String?, isSaved: Bool) {
    self.plugin = plugin
    self.options = options
    self.process = process
    self.isSaved = isSaved
  }
}

extension ConfigurationService {
  /// The status of the theater, with the file's refused edit for administrators.
  ///
  /// - Parameter room: The room whose activity it shows first; `nil` for the first one of the file.
  func status(
    of theater: HomeTheaterFacade, in room: RoomID?, for principal: Principal
  ) async throws(TheaterError) -> JSON {
    let status = try await theater.status(of: room, for: principal)
    guard principal.permissions.contains(.administer), let refusedEdit = await refusedEdit,
      var object = status.object
    else { return status }
    object["configuration"] = refusedEdit
    return .object(object)
  }
}
