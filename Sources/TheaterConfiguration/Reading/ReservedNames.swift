import Devices
import JSON
import Scenes

/// A name of a configuration that steps or conditions of later versions need for themselves, with
/// the places where the file uses it.
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
  /// The place of the key that gives the name.
  package let key: Place
  /// The other places, in the order of the sections.
  package fileprivate(set) var uses: [Place] = []
  /// The number of other places that `uses` leaves out.
  package fileprivate(set) var leftOut = 0

  /// Whether steps that command it cannot be told from steps with the word.
  package var isWordOfSteps: Bool { kind != .parameter && Step.words.contains(name) }

  /// Returns the reserved names of a configuration: devices, groups, then parameters.
  ///
  /// - Parameter mostUses: How many places of each name are kept.
  package static func all(in value: JSON, mostUses: Int) -> [ReservedName] {
    var search = ReservedNameSearch(mostUses: mostUses)
    search.search(value)
    return search.found
  }
}

/// Finds reserved names in a configuration that may have any mistakes. It walks over each part once.
private struct ReservedNameSearch {
  /// A member "note" is a note, and no name, in every object.
  private static let words = Set(ConfigurationSchemaNodes.reservedWords)
    .subtracting([ConfigurationNotes.key])

  let mostUses: Int
  private(set) var found: [ReservedName] = []
  /// The index in `found` of each device, each group and each parameter of the present scene.
  private var devices: [String: Int] = [:]
  private var groups: [String: Int] = [:]
  private var parameters: [String: Int] = [:]
  private var path: [JSONPath.Element] = []

  init(mostUses: Int) { self.mostUses = mostUses }

  mutating func search(_ value: JSON) {
    devices = addNames(of: .device, in: value["devices"], at: [.key("devices")])
    groups = addNames(of: .group, in: value["groups"], at: [.key("groups")])
    for section in ["groups", "rooms"] {
      walk(value[section], ["devices"], at: section)
    }
    for (index, cable) in (value["cables"]?.array ?? []).enumerated() {
      members(["from", "to"], of: cable, at: [.key("cables"), .index(index)])
    }
    for (name, scene) in value["scenes"]?.object ?? [:] {
      search(scene, at: [.key("scenes"), .key(name)])
    }
    walk(value["activities"], ["player", "amplifier", "endsWithout"], at: "activities")
    for list in ["films", "songs", "stations"] {
      for (index, item) in (value["library"]?[list]?.array ?? []).enumerated() {
        members(["player"], of: item, at: [.key("library"), .key(list), .index(index)])
      }
    }
  }

  /// Adds the reserved names among the keys of an object.
  private mutating func addNames(
    of kind: ReservedName.Kind, in object: JSON?, at path: [JSONPath.Element]
  ) -> [String: Int] {
    var indices: [String: Int] = [:]
    for (name, value) in object?.object ?? [:] where Self.words.contains(name) {
      if kind == .parameter, Self.isSubject(name, ofKind: value) { continue }
      indices[name] = found.count
      let key = ReservedName.Place(path: JSONPath(path + [.key(name)]), isKey: true)
      found.append(ReservedName(kind: kind, name: name, key: key))
    }
    return indices
  }

  /// Whether a parameter of this kind may have the reserved name: `"film": "film"` is what
  /// `film.rating` of a condition means.
  private static func isSubject(_ name: String, ofKind kind: JSON) -> Bool {
    guard let own = ParameterKind(rawValue: name) else { return false }
    // An unknown kind is an error of its own.
    return kind.string.flatMap(ParameterKind.init) ?? own == own
  }

  private mutating func add(_ index: Int, isKey: Bool) {
    guard found[index].uses.count < mostUses else {
      found[index].leftOut += 1
      return
    }
    found[index].uses.append(ReservedName.Place(path: JSONPath(path), isKey: isKey))
  }

  // MARK: Names of devices

  /// The uses in these members of each entry of a section.
  private mutating func walk(_ entries: JSON?, _ keys: [String], at section: String) {
    guard !devices.isEmpty else { return }
    for (name, entry) in entries?.object ?? [:] {
      members(keys, of: entry, at: [.key(section), .key(name)])
    }
  }

  private mutating func members(_ keys: [String], of entry: JSON, at place: [JSONPath.Element]) {
    guard !devices.isEmpty else { return }
    for key in keys {
      path = place + [.key(key)]
      switch entry[key] {
      case .string(let text)?:
        if let index = devices[text] { add(index, isKey: false) }
      case .array(let values)?:
        for (position, value) in values.enumerated() {
          guard let index = value.string.flatMap({ devices[$0] }) else { continue }
          path.append(.index(position))
          add(index, isKey: false)
          path.removeLast()
        }
      default: break
      }
    }
  }

  // MARK: Scenes

  private mutating func search(_ scene: JSON, at place: [JSONPath.Element]) {
    let kinds = scene["parameters"]
    parameters = addNames(of: .parameter, in: kinds, at: place + [.key("parameters")])
    guard !devices.isEmpty || !groups.isEmpty || !parameters.isEmpty else { return }
    path = place + [.key("steps")]
    steps(scene["steps"] ?? .null)
  }

  private mutating func steps(_ list: JSON) {
    for (index, step) in (list.array ?? []).enumerated() {
      path.append(.index(index))
      if step.array != nil { steps(step) }
      for (key, value) in step.object ?? [:] {
        path.append(.key(key))
        if key == "sequence" || key == "parallel" {
          steps(value)
        } else {
          // A word of steps is one, whatever a device is called.
          if !Step.words.contains(key), let index = devices[key] ?? groups[key] {
            add(index, isKey: true)
          }
          texts(value)
        }
        path.removeLast()
      }
      path.removeLast()
    }
  }

  /// The uses of parameters in the command of a step.
  private mutating func texts(_ value: JSON) {
    guard !parameters.isEmpty else { return }
    switch value {
    case .string(let text):
      guard text.first == "$", let index = parameters[String(text.dropFirst())] else { return }
      add(index, isKey: false)
    case .array(let values):
      for (index, value) in values.enumerated() {
        path.append(.index(index))
        texts(value)
        path.removeLast()
      }
    case .object(let object):
      for (key, value) in object {
        path.append(.key(key))
        texts(value)
        path.removeLast()
      }
    default: break
    }
  }
}

extension ConfigurationReader {
  /// Reports each reserved name once, with the places that another name changes.
  mutating func reportReservedNames() {
    for reserved in ReservedName.all(in: value, mostUses: Self.mostPlaces) where !isFull {
      let places = reserved.uses.map { "\($0.path)" }
      let more = reserved.leftOut == 0 ? "" : " and \(reserved.leftOut) more places"
      report(
        .shape, at: reserved.key.path, key: true,
        "\"\(reserved.name)\" is a word of scenes, and so no name of a \(reserved.kind.rawValue)"
          + (places.isEmpty ? "" : "; it is used at \(listed(places))\(more)"),
        hint: "Choose another name; \"theater config upgrade\" writes it at every place.")
    }
  }

  /// The most places of one name that are listed.
  private static let mostPlaces = 20

  /// Whether the schema's problem is a reserved name, which `reportReservedNames` reports.
  func isReservedName(_ problem: SchemaIssue) -> Bool {
    let path = problem.path.elements
    guard problem.isAtKey, case .key(let name)? = path.last,
      ConfigurationSchemaNodes.reservedWords.contains(name)
    else { return false }
    switch path.count {
    case 2: return [.key("devices"), .key("groups")].contains(path[0])
    case 4: return path[0] == .key("scenes") && path[2] == .key("parameters")
    default: return false
    }
  }
}
