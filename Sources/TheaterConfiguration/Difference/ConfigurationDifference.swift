import Devices
import JSON

/// The difference between two configurations: the names of entries and of their keys, never a value.
///
/// A value may be a secret, or a path that only the owner knows. The texts of secrets are compared, so
/// a secret that was changed in its file is a difference too.
package struct ConfigurationDifference: Sendable, Hashable {
  /// A part of `devices.json`; the raw value is its key there.
  package enum Section: String, Sendable, Hashable, CaseIterable {
    case pluginFolders, devices, groups, rooms, cables, scenes, activities, library, accounts, web

    /// Whether a running controller applies changes of the section. Sockets, certificates and the
    /// rules of accounts are set up once, at the start.
    package var isLive: Bool { self != .accounts && self != .web }
  }

  /// How an entry differs. The raw value is the `kind` of the API.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case added, removed, changed

    /// The sign of a line of the text form, as in a unified diff.
    fileprivate var sign: String {
      switch self {
      case .added: "+"
      case .removed: "-"
      case .changed: "~"
      }
    }
  }

  /// One entry that differs.
  package struct Change: Sendable, Hashable {
    package var kind: Kind
    /// The part of `devices.json` that has the entry.
    package var section: Section
    /// The name of the entry: of a device, scene or activity, of the source of a cable, of a list and
    /// an id in the library (`films.ferry`). `nil` for the section as a whole.
    package var name: String?
    /// The keys of a changed entry whose values differ: `process`, `options.device`. If the plugin
    /// changed, `options` stands for all options. Empty for other kinds.
    package var keys: [String] = []

    /// The place in the file: `devices.amp`.
    package var place: String { name.map { "\(section.rawValue).\($0)" } ?? section.rawValue }
  }

  /// In the order of the sections, then by name.
  package let changes: [Change]

  /// Compares two configurations.
  package init(from old: TheaterConfiguration, to new: TheaterConfiguration) {
    let (before, after) = (ConfigurationEntries(old), ConfigurationEntries(new))
    changes = Section.allCases.flatMap { section in
      Self.changes(in: section, before[section], after[section])
    }
  }

  /// Whether nothing differs.
  package var isEmpty: Bool { changes.isEmpty }
  /// The changes that a running controller applies.
  package var live: [Change] { changes.filter(\.section.isLive) }

  private static func changes(
    in section: Section, _ old: [String?: ConfigurationEntries.Values],
    _ new: [String?: ConfigurationEntries.Values]
  ) -> [Change] {
    Set(old.keys).union(new.keys).sorted { $0 ?? "" < $1 ?? "" }.compactMap { name in
      switch (old[name], new[name]) {
      case (nil, _?): return Change(kind: .added, section: section, name: name)
      case (_?, nil): return Change(kind: .removed, section: section, name: name)
      case (let before?, let after?):
        let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        guard !keys.isEmpty else { return nil }
        return Change(kind: .changed, section: section, name: name, keys: Self.summary(of: keys))
      case (nil, nil): return nil
      }
    }
  }

  /// The keys in order. If the plugin changed, old and new options cannot be compared: `options` stands for all.
  private static func summary(of keys: Set<String>) -> [String] {
    guard keys.contains("plugin") else { return keys.sorted() }
    return Set(keys.map { $0.hasPrefix("options.") ? "options" : $0 }).sorted()
  }
}

extension ConfigurationDifference {
  /// A line for each change: `~ devices.amp: plugin, options.device`.
  package var text: String {
    changes.map { change in
      let keys = change.keys.isEmpty ? "" : ": \(listed(change.keys))"
      let remark = change.section.isLive ? "" : " (takes effect at the next start)"
      return "\(change.kind.sign) \(change.place.quotation)\(keys)\(remark)"
    }.joined(separator: "\n")
  }

  /// The changes for the API: `[{"kind": "changed", "section": "devices", "name": "amp", "keys":
  /// ["plugin"], "live": true}]`.
  package var json: JSON {
    .array(
      changes.map { change in
        var object: JSONObject = [
          "kind": .string(change.kind.rawValue), "section": .string(change.section.rawValue),
        ]
        if let name = change.name { object["name"] = .string(name) }
        object["keys"] = .array(change.keys.map { .string($0) })
        object["live"] = .bool(change.section.isLive)
        return .object(object)
      })
  }
}
