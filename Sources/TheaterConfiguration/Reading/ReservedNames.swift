import Devices
import JSON
import Scenes

/// A name of a configuration that steps or conditions of later versions need for themselves, with
/// every place where the file uses it.
package struct ReservedName: Sendable, Hashable {
  /// The owner of the name. The raw value is the word for people.
  package enum Kind: String, Sendable, Hashable {
    case device, group, parameter
  }

  /// One use of the name: as the key at `path`, or as the text there.
  package struct Place: Sendable, Hashable {
    package let path: JSONPath
    package let isKey: Bool
  }

  package let kind: Kind
  package let name: String
  /// The key that gives the name, then the other places, in the order of the sections.
  package let places: [Place]

  /// Returns the reserved names of a configuration, in the order of the file.
  package static func all(in value: JSON) -> [ReservedName] {
    let search = ReservedNameSearch(value: value)
    return search.names(of: .device, in: "devices") + search.names(of: .group, in: "groups")
      + search.parameters()
  }

  /// Whether a parameter of this kind may have the reserved name: `"film": "film"` is what
  /// `film.rating` of a condition means.
  static func isSubject(_ name: String, ofKind kind: JSON) -> Bool {
    guard let own = ParameterKind(rawValue: name) else { return false }
    // An unknown kind is an error of its own.
    return kind.string.flatMap(ParameterKind.init) ?? own == own
  }
}

/// Finds reserved names in a configuration that may have any mistakes.
private struct ReservedNameSearch {
  typealias Place = ReservedName.Place
  /// A member "note" is a note, and no name, in every object.
  private static let words = Set(ConfigurationSchemaNodes.reservedWords)
    .subtracting([ConfigurationNotes.key])

  let value: JSON

  func names(of kind: ReservedName.Kind, in section: String) -> [ReservedName] {
    keys(of: value[section]).filter(Self.words.contains).map { name in
      let key = Place(path: [.key(section), .key(name)], isKey: true)
      return ReservedName(kind: kind, name: name, places: [key] + uses(of: name, as: kind))
    }
  }

  func parameters() -> [ReservedName] {
    keys(of: value["scenes"]).flatMap { scene -> [ReservedName] in
      let path: JSONPath = [.key("scenes"), .key(scene)]
      let kinds = value["scenes"]?[scene]?["parameters"]
      return keys(of: kinds).filter { name in
        Self.words.contains(name)
          && !ReservedName.isSubject(name, ofKind: kinds?[name] ?? .null)
      }.map { name in
        let key = Place(path: path.appending("parameters").appending(name), isKey: true)
        let steps = value["scenes"]?[scene]?["steps"] ?? .null
        let uses = texts(equalTo: "$\(name)", in: steps, at: path.appending("steps"))
        return ReservedName(kind: .parameter, name: name, places: [key] + uses)
      }
    }
  }

  private func keys(of object: JSON?) -> [String] { Array(object?.object?.keys ?? []) }

  private func uses(of name: String, as kind: ReservedName.Kind) -> [Place] {
    let steps = keys(of: value["scenes"]).flatMap { scene in
      stepKeys(
        named: name, in: value["scenes"]?[scene]?["steps"] ?? .null,
        at: [.key("scenes"), .key(scene), .key("steps")])
    }
    guard kind == .device else { return steps }
    let lists = ["groups", "rooms"].flatMap { section in
      entries(of: section, with: ["devices"], naming: name)
    }
    let cables = (value["cables"]?.array ?? []).enumerated().flatMap { index, cable in
      members(["from", "to"], of: cable, naming: name, at: [.key("cables"), .index(index)])
    }
    let activities = entries(
      of: "activities", with: ["player", "amplifier", "endsWithout"], naming: name)
    let items = ["films", "songs", "stations"].flatMap { list in
      (value["library"]?[list]?.array ?? []).enumerated().flatMap { index, item in
        members(
          ["player"], of: item, naming: name, at: [.key("library"), .key(list), .index(index)])
      }
    }
    return lists + cables + steps + activities + items
  }

  /// The uses of a name in these members of each entry of a section.
  private func entries(of section: String, with members: [String], naming name: String) -> [Place] {
    keys(of: value[section]).flatMap { entry in
      self.members(
        members, of: value[section]?[entry] ?? .null, naming: name,
        at: [.key(section), .key(entry)])
    }
  }

  private func members(
    _ members: [String], of object: JSON, naming name: String, at path: JSONPath
  ) -> [Place] {
    members.flatMap { texts(equalTo: name, in: object[$0] ?? .null, at: path.appending($0)) }
  }

  private func texts(equalTo text: String, in value: JSON, at path: JSONPath) -> [Place] {
    switch value {
    case .string(let found): found == text ? [Place(path: path, isKey: false)] : []
    case .array(let values):
      values.enumerated().flatMap { texts(equalTo: text, in: $1, at: path.appending($0)) }
    case .object(let object):
      object.flatMap { texts(equalTo: text, in: $0.value, at: path.appending($0.key)) }
    default: []
    }
  }

  /// The steps that command a device or group of this name.
  private func stepKeys(named name: String, in steps: JSON, at path: JSONPath) -> [Place] {
    (steps.array ?? []).enumerated().flatMap { index, step -> [Place] in
      let path = path.appending(index)
      if step.array != nil { return stepKeys(named: name, in: step, at: path) }
      let groups = ["sequence", "parallel"].flatMap { word in
        stepKeys(named: name, in: step[word] ?? .null, at: path.appending(word))
      }
      // A word of steps is one, whatever a device is called.
      guard step[name] != nil, !Step.words.contains(name) else { return groups }
      return [Place(path: path.appending(name), isKey: true)] + groups
    }
  }
}

extension ConfigurationReader {
  /// Reports each reserved name once, with all places that another name changes.
  mutating func reportReservedNames() {
    for reserved in ReservedName.all(in: value) where !isFull {
      guard let key = reserved.places.first else { continue }
      let others = reserved.places.dropFirst()
      let shown = others.prefix(Self.mostPlaces).map { "\($0.path)" }
      let rest = others.count - shown.count
      let also =
        shown.isEmpty
        ? "" : "; it is used at \(listed(shown))" + (rest > 0 ? " and \(rest) more places" : "")
      report(
        .shape, at: key.path, key: true,
        "\"\(reserved.name)\" is a word of scenes, and so no name of a \(reserved.kind.rawValue)"
          + also,
        hint: "Choose another name; \"theater config upgrade\" writes it at every place.")
    }
  }

  /// The most places of one name that are listed.
  private static let mostPlaces = 20

  /// Whether the schema's problem is a reserved name, which `reportReservedNames` reports.
  func isReservedName(_ problem: SchemaIssue) -> Bool {
    let path = problem.path.elements
    guard problem.isAtKey, path.count == 2, case .key(let name) = path[1] else { return false }
    return [.key("devices"), .key("groups")].contains(path[0])
      && ConfigurationSchemaNodes.reservedWords.contains(name)
  }
}
