import Devices
import JSON

/// A kind of search. The raw value is the word of `theater discover --only`.
package enum DiscoveryKind: String, Sendable, Hashable, CaseIterable {
  case projectors, mqtt, sound, drives, displays, folders
}

/// A device, drive, display or folder that a search has found, with the entry for `devices.json`.
package struct DiscoveryFinding: Sendable, Hashable {
  /// The longest title or place, in bytes of UTF-8; a note may be twice as long.
  package static let longestText = 160

  /// The kind of search that has found it.
  package let kind: DiscoveryKind
  /// The identifier, the same in each search: `pjlink:192.0.2.20`. One line.
  package let id: String
  /// The name or the kind of the finding, for people; one line.
  package let title: String
  /// The place where it was found, for people; one line.
  package let place: String
  /// The roles that it can have, the likeliest first; never empty.
  package let roles: [Role]
  /// The id of the plugin's manifest.
  package let plugin: String
  /// Advice for people before they use the finding, such as a missing option; each note is one
  /// line.
  package let notes: [String]
  private let options: JSONObject
  private let optionsOfRoles: [Role: JSONObject]

  /// Cleans and bounds the texts, which may come from a device.
  ///
  /// - Parameter optionsOfRoles: Further options that only one role needs.
  package init(
    _ kind: DiscoveryKind, id: String, title: String, place: String, roles: [Role], plugin: String,
    options: JSONObject, optionsOfRoles: [Role: JSONObject] = [:], notes: [String] = []
  ) {
    self.kind = kind
    self.id = id.boundedLine(maximumBytes: 600)
    self.title = title.boundedLine(maximumBytes: Self.longestText)
    self.place = place.boundedLine(maximumBytes: Self.longestText)
    self.roles = roles
    self.plugin = plugin
    self.options = options
    self.optionsOfRoles = optionsOfRoles
    self.notes = notes.map { $0.boundedLine(maximumBytes: 2 * Self.longestText) }
  }

  /// Returns the options for a role.
  package func options(for role: Role) -> JSONObject {
    var all = options
    for (key, value) in optionsOfRoles[role] ?? [:] { all[key] = value }
    return all
  }

  /// Returns the entry of a device for `devices.json`.
  package func entry(for role: Role) -> JSONObject {
    [
      "role": .string(role.rawValue), "plugin": .string(plugin),
      "options": .object(options(for: role)),
    ]
  }

  /// Whether the entry of a device says what this finding would put there: the same plugin, and the
  /// same value of each option, in lists among others.
  package func isPresent(in entry: JSONObject, for role: Role) -> Bool {
    guard entry["plugin"]?.string == plugin else { return false }
    let present = entry["options"]?.object ?? [:]
    return options(for: role).allSatisfy { key, value in
      if let wanted = value.array, let listed = present[key]?.array {
        return wanted.allSatisfy(listed.contains)
      }
      return present[key] == value
    }
  }

  /// The finding as `theater discover --json` prints it, with an entry for each role.
  ///
  /// - Parameter name: Returns the name of the entry for a role.
  package func json(named name: (Role) -> String) -> JSON { json("devices", key: name) }

  /// The finding as the API shows it, with an entry for each role.
  package var json: JSON { json("entries", key: \.rawValue) }

  private func json(_ entries: String, key: (Role) -> String) -> JSON {
    [
      "kind": .string(kind.rawValue), "id": .string(id), "title": .string(title),
      "place": .string(place), "plugin": .string(plugin),
      "roles": .array(roles.map { .string($0.rawValue) }),
      "notes": .array(notes.map { .string($0) }),
      entries: .object(JSONObject(roles.map { (key($0), .object(entry(for: $0))) })),
    ]
  }
}

/// The outcome of a search.
package struct DiscoveryResult: Sendable, Hashable {
  package var findings: [DiscoveryFinding] = []
  /// The reasons why findings may be missing; lines for people.
  package var problems: [String] = []
  /// The kinds of search that could not be made at all; each has a problem.
  package var failed: Set<DiscoveryKind> = []

  /// - Parameter problems: Lines for people; each is cut to 400 bytes.
  package init(
    findings: [DiscoveryFinding] = [], problems: [String] = [], failed: Set<DiscoveryKind> = []
  ) {
    self.findings = findings
    self.problems = problems.map { $0.boundedLine(maximumBytes: 400) }
    self.failed = failed
  }
}

/// A search for devices of one kind. It never fails: a problem is part of its result.
package protocol DeviceSearch: Sendable {
  /// The kind of its findings.
  var kind: DiscoveryKind { get }
  /// Searches, in a bounded time.
  func run() async -> DiscoveryResult
}
