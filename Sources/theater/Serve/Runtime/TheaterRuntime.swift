import Devices
import HomeTheater
import JSON
import Logging
import Platform
import TheaterConfiguration
import TheaterLoader
import WebServer

/// Holds the configuration in force, and replaces it while the theater runs: when its file was edited,
/// and when a device gets another plugin.
///
/// Requests are served one at a time, in the order in which they arrive. Each one validates a whole
/// configuration, compares it with the one in force, and applies it or nothing. After an invalid edit
/// the last valid configuration stays in force.
actor TheaterRuntime {
  /// The configuration in force. Sections that take effect only at a start are those of the last
  /// start.
  private(set) var current: LoadedConfiguration
  /// The mistakes of the file since its newest edit; `nil` if the file is valid.
  private(set) var refusal: InvalidConfiguration?
  /// The newest valid text of the file.
  private var file: ConfigurationText
  /// The entries that replace those of the file until the next start, or until the entry is edited.
  private(set) var swaps: [DeviceID: JSONObject] = [:]
  /// The changes that wait for the next start.
  private var bound: [ConfigurationDifference.Change] = []
  private let store: any ConfigurationStore
  private let target: any ConfigurationTarget
  private let logger: Logger
  private let lock = AsyncLock()

  /// The principal of edits: a person who can edit the file may administer the
  /// theater.
  private static let editor = Principal(
    user: nil, permissions: [.administer], activities: nil, volumeLimit: nil, ageLimit: nil)

  /// - Parameters:
  ///   - loaded: The configuration that the target has.
  ///   - text: The valid text from which it was loaded.
  init(
    _ loaded: LoadedConfiguration, from text: ConfigurationText, in store: any ConfigurationStore,
    target: any ConfigurationTarget, logger: Logger
  ) {
    current = loaded
    file = text
    self.store = store
    self.target = target
    self.logger = logger
  }

  // MARK: The file

  /// Reads the file again and applies what differs. Never throws: an invalid file is logged, and
  /// shown in the status until it is corrected.
  func reload() async {
    await lock.acquire()
    defer { lock.release() }
    do throws(InvalidConfiguration) {
      try await apply(text: try store.read())
    } catch {
      refuse(error)
    }
  }

  /// Applies a text of the file.
  ///
  /// - Returns: What has changed; `nil` if the target refused it.
  @discardableResult
  private func apply(
    text: [UInt8]
  ) async throws(InvalidConfiguration) -> ConfigurationDifference? {
    let plain = try store.validate(text)
    // A valid text has a valid syntax.
    guard let new = try? ConfigurationText(text) else { return nil }
    let kept = swaps.filter { device, _ in new[device] == file[device] }
    var loaded = plain
    var swaps = kept
    if !kept.isEmpty {
      do {
        loaded = try store.validate(new.replacing(kept).bytes)
      } catch {
        swaps = [:]
        logger.warning(
          "\(store.name): the plugins that were swapped in do not fit the edited file; it applies")
      }
    }
    let difference: ConfigurationDifference
    do throws(TheaterError) {
      difference = try await install(loaded, by: Self.editor)
    } catch {
      // The target refuses principals only.
      logger.error("\(store.name): \(error.message)")
      return nil
    }
    file = new
    self.swaps = swaps
    guard refusal != nil else { return difference }
    refusal = nil
    logger.notice("\(store.name): the file is valid again")
    target.publish(Self.event("applied"))
    return difference
  }

  /// The present text of the file.
  func presentText() throws(TheaterError) -> [UInt8] {
    do {
      return try store.read()
    } catch {
      throw TheaterError(
        .notNow,
        "\(store.name) cannot be read: \(error.problems.first?.message ?? "it is damaged")",
        hint: "Look at the file on the controller's machine.")
    }
  }

  /// Replaces the file's text and applies it, or does neither. Needs the permission `administer`.
  ///
  /// - Parameter isBase: Returns whether the current text is the one from which `text` was made.
  /// - Returns: What has changed, and the warnings.
  func save(
    _ text: [UInt8], replacing isBase: @Sendable ([UInt8]) -> Bool, by principal: Principal
  ) async throws -> (ConfigurationDifference, warnings: [ConfigurationIssue]) {
    guard principal.permissions.contains(.administer) else {
      throw TheaterError(.forbidden, "only an owner may change the configuration")
    }
    await lock.acquire()
    defer { lock.release() }
    let present = try presentText()
    guard isBase(present) else {
      throw TheaterError(
        .notNow, "\(store.name) was edited meanwhile; nothing was changed",
        hint: "Load it again, and make your changes in the new text.")
    }
    _ = try store.check(text, with: current)
    let warnings = try store.validate(text).configuration.warnings
    try store.replace(present, with: text)
    guard let difference = try await apply(text: text) else {
      throw TheaterError(
        .notNow, "\(store.name) is saved, but could not be applied", hint: "Look at the log.")
    }
    return (difference, warnings)
  }

  private func refuse(_ invalid: InvalidConfiguration) {
    guard invalid != refusal else { return }
    refusal = invalid
    logger.warning(
      "\(store.name): the edit is refused; the configuration from before stays in force\n\(invalid)"
    )
    target.publish(Self.event("refused"))
  }

  /// The event `configuration` for all users: details of the file are for administrators.
  private static func event(_ status: String) -> JSON {
    ["status": .string(status), "changed": [], "removed": []]
  }

  /// Applies a valid configuration, except for the sections that take effect only at a start.
  @discardableResult
  private func install(
    _ loaded: LoadedConfiguration, by principal: Principal
  ) async throws(TheaterError) -> ConfigurationDifference {
    let difference = ConfigurationDifference(
      from: current.configuration, to: loaded.configuration)
    var new = loaded
    new.configuration.accounts = current.configuration.accounts
    new.configuration.web = current.configuration.web
    // Another order of the entries is no difference, but devices and lists are shown in that order. A
    // manifest may have been mended without a change of the file.
    let differs =
      !difference.live.isEmpty || new.configuration.plan != current.configuration.plan
      || new.hostedDevices != current.hostedDevices || new.catalogue != current.catalogue
    if differs { try await target.apply(new, by: principal) }
    for warning in new.configuration.warnings
    where !current.configuration.warnings.contains(warning) {
      logger.warning("\(warning)")
    }
    current = new
    let bound = difference.changes.filter { !$0.section.isLive }
    // Changes that wait for the next start are part of every difference until then.
    if differs || bound != self.bound {
      log(difference, as: differs ? "applied" : "edited, nothing to apply before the next start")
    }
    self.bound = bound
    return difference
  }

  private func log(_ difference: ConfigurationDifference, as outcome: String) {
    let most = 50
    let changes = difference.text.split(separator: "\n").map(String.init)
    var lines = ["\(store.name): \(outcome)"] + changes.prefix(most)
    if changes.count > most { lines.append("… and \(changes.count - most) more") }
    logger.notice("\(lines.joined(separator: "\n"))")
  }

  // MARK: Another plugin for a device

  /// Gives a device another plugin. Needs the permission `administer`.
  ///
  /// Unless it is saved, the choice holds until the next start, or until the device's entry in the file
  /// is edited.
  ///
  /// - Returns: What has changed; nothing if the device has this plugin already.
  func swap(
    _ device: DeviceID, to choice: PluginChoice, by principal: Principal
  ) async throws(TheaterError) -> ConfigurationDifference {
    guard principal.permissions.contains(.administer) else {
      throw TheaterError(.forbidden, "only an owner may give a device another plugin")
    }
    await lock.acquire()
    defer { lock.release() }
    guard current.configuration[device] != nil else {
      throw .unknown("device", device.name, current.configuration.devices.map(\.id.name))
    }
    let present = choice.isSaved ? try presentFile() : file
    guard let entry = present[device] else {
      throw TheaterError(
        .notNow, "\(store.name) has no entry for \(device) any more", device: device)
    }
    var swaps = swaps.filter { other, _ in present[other] == file[other] }
    let new = choice.entry(replacing: entry)
    var saved = present
    if new == entry || choice.isSaved { swaps[device] = nil } else { swaps[device] = new }
    if choice.isSaved { saved = try edited(present, [device: new]) }
    let loaded = try validate(edited(saved, swaps), for: device)
    if saved.bytes != present.bytes {
      // The next start reads the file alone.
      _ = try validate(saved, for: device)
      try store.replace(present.bytes, with: saved.bytes)
    }
    let difference = try await install(loaded, by: principal)
    file = saved
    self.swaps = swaps
    return difference
  }

  /// Returns the file's current text. Throws if it cannot be read, and if it is invalid, because a save
  /// would hide its errors.
  private func presentFile() throws(TheaterError) -> ConfigurationText {
    let text = try presentText()
    do {
      _ = try store.validate(text)
      return try ConfigurationText(text)
    } catch {
      throw TheaterError(
        .notNow, "\(store.name) has mistakes, so no change can be saved in it",
        hint: "Correct it first (\(ProgramName.name) config check), or swap without saving.")
    }
  }

  private func edited(
    _ text: ConfigurationText, _ entries: [DeviceID: JSONObject]
  ) throws(TheaterError) -> ConfigurationText {
    do {
      return try text.replacing(entries)
    } catch {
      throw TheaterError(.invalid, "the new entry cannot be written: \(error)")
    }
  }

  /// Validates a text with a new entry for `device`.
  private func validate(
    _ text: ConfigurationText, for device: DeviceID
  ) throws(TheaterError) -> LoadedConfiguration {
    do throws(InvalidConfiguration) {
      let loaded = try store.validate(text.bytes)
      let entry: [JSONPath.Element] = [.key("devices"), .key(device.name)]
      let unusable = loaded.configuration.warnings.first {
        $0.kind == .plugin && $0.path.elements.starts(with: entry)
      }
      guard let unusable else { return loaded }
      throw InvalidConfiguration([unusable])
    } catch {
      throw TheaterError(error, device: device)
    }
  }

  // MARK: Comparison

  /// Compares the file, or another text in its place, with the configuration in force.
  ///
  /// - Returns: What differs, and the warnings.
  func difference(to text: [UInt8]?) throws(InvalidConfiguration) -> (
    ConfigurationDifference, warnings: [ConfigurationIssue]
  ) {
    let other =
      if let text { try store.check(text, with: current) } else {
        try store.validate(store.read()).configuration
      }
    return (
      ConfigurationDifference(from: current.configuration, to: other), warnings: other.warnings
    )
  }
}

extension TheaterError {
  /// The first error of the text with the swapped entry. It names no line, because the user never
  /// sees this text.
  fileprivate init(_ invalid: InvalidConfiguration, device: DeviceID) {
    let problem = invalid.problems.first { $0.severity == .error } ?? invalid.problems.first
    self.init(
      .invalid, problem.map { "\($0.path): \($0.message)" } ?? "the plugin does not fit",
      hint: problem?.hint, device: device)
  }
}

extension PluginChoice {
  /// The device's entry in `devices.json` with this choice; `entry` itself if it has this plugin and
  /// nothing else was chosen.
  func entry(replacing entry: JSONObject) -> JSONObject {
    var new = entry
    if let options {
      new["options"] = .object(options)
    } else if entry["plugin"]?.string != plugin {
      new["options"] = nil
    }
    new["plugin"] = .string(plugin)
    if let process { new["process"] = .string(process) }
    return new
  }
}
