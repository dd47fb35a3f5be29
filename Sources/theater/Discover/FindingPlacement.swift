import Devices
import Discovery
import JSON
import TheaterConfiguration
import TheaterLoader

/// Inserts findings into `devices.json`: all of them, checked, or none.
struct FindingPlacement {
  let store: any ConfigurationStore
  let findings: [DiscoveryFinding]
  /// Whether real plugins and options with another value may be replaced.
  let isReplacing: Bool

  /// Writes the chosen findings.
  ///
  /// - Throws: `ExitError` with every error of the file as it would be; nothing is written then.
  func insert(_ choices: [FindingChoice]) throws(ExitError) -> ConfigurationDifference {
    let old = try checked { () throws(InvalidConfiguration) in try store.read() }
    let before = try checked { () throws(InvalidConfiguration) in try store.validate(old) }
    var text = try parsed { () throws(JSONSyntaxError) in try ConfigurationText(old) }
    for choice in choices {
      let (id, entry) = try deviceEntry(for: choice, in: text)
      text = try parsed { [text] () throws(JSONSyntaxError) in try text.replacing([id: entry]) }
    }
    let new = text.bytes
    let after = try checked { () throws(InvalidConfiguration) in try store.validate(new) }
    let difference = ConfigurationDifference(from: before.configuration, to: after.configuration)
    guard !difference.isEmpty else { return difference }
    do throws(TheaterError) {
      try store.replace(old, with: new)
    } catch {
      throw ExitError(.failed, error.message, hint: error.hint)
    }
    return difference
  }

  private func checked<Value>(
    _ body: () throws(InvalidConfiguration) -> Value
  ) throws(ExitError) -> Value {
    do throws(InvalidConfiguration) {
      return try body()
    } catch {
      throw ExitError(.failed, "\(error)", hint: "Nothing was changed in \(store.name).")
    }
  }

  private func parsed(
    _ body: () throws(JSONSyntaxError) -> ConfigurationText
  ) throws(ExitError) -> ConfigurationText {
    do throws(JSONSyntaxError) {
      return try body()
    } catch {
      throw ExitError(.failed, "\(store.name): \(error)")
    }
  }

  /// Returns the device of a choice and its entry with the finding.
  private func deviceEntry(
    for choice: FindingChoice, in text: ConfigurationText
  ) throws(ExitError) -> (DeviceID, JSONObject) {
    let id = DeviceID(choice.device)
    guard let entry = text[id],
      let role = entry["role"]?.string.flatMap(Role.init)
    else {
      throw ExitError(
        .failed, "\(store.name) has no device \(choice.device.quotation)",
        hint: "Add it there first, with its role and the plugin Simulated.")
    }
    let finding = try finding(for: choice, role: role)
    return (id, try merged(finding, role: role, into: entry, of: choice.device))
  }

  private func finding(
    for choice: FindingChoice, role: Role
  ) throws(ExitError) -> DiscoveryFinding {
    let fitting = findings.filter { $0.roles.contains(role) }
    // A plug can be a lamp, but a lamp is one.
    let exact = fitting.filter { $0.roles.first == role }
    let chosen =
      choice.finding.map { id in fitting.filter { $0.id == id } }
      ?? (exact.isEmpty ? fitting : exact)
    if chosen.count == 1, let finding = chosen.first { return finding }
    let ids = fitting.prefix(20).map { "\(choice.device)=\($0.id)" }.joined(separator: "\n  ")
    guard !fitting.isEmpty else {
      throw ExitError(
        .failed, "nothing was found for \(choice.device)",
        hint: "Try a longer --timeout, or name the --broker. Nothing was changed.")
    }
    throw ExitError(
      .failed,
      chosen.isEmpty
        ? "nothing with this id was found for \(choice.device)"
        : "\(chosen.count) findings fit \(choice.device)",
      hint: "Nothing was changed. Choose one with --put-in:\n  \(ids)")
  }

  /// Returns the entry with the finding. Options of the same plugin stay, and folders are added to folders.
  private func merged(
    _ finding: DiscoveryFinding, role: Role, into entry: JSONObject, of device: String
  ) throws(ExitError) -> JSONObject {
    let plugin = entry["plugin"]?.string ?? ""
    var new = entry
    guard plugin == finding.plugin else {
      guard isReplacing || plugin == "Simulated" else {
        throw ExitError(
          .failed, "\(device) has the plugin \(plugin.quotation)",
          hint: "Nothing was changed. --replace gives it the plugin \(finding.plugin).")
      }
      new["plugin"] = .string(finding.plugin)
      new["options"] = .object(finding.options(for: role))
      return new
    }
    var options = entry["options"]?.object ?? [:]
    for (key, value) in finding.options(for: role) {
      if let folders = value.array, key == "folders", let present = options[key]?.array {
        options[key] = .array(present + folders.filter { !present.contains($0) })
        continue
      }
      guard isReplacing || options[key] == nil || options[key] == value else {
        throw ExitError(
          .failed, "\(device) has another value of the option \"\(key)\"",
          hint: "Nothing was changed. --replace gives it that of the finding.")
      }
      options[key] = value
    }
    new["options"] = .object(options)
    return new
  }
}
