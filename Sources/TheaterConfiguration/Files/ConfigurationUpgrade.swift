import JSON

/// New names for the reserved names of a configuration.
package struct ConfigurationUpgrade: Sendable, Hashable {
  /// One name and its replacement.
  package struct Rename: Sendable, Hashable {
    package let reserved: ReservedName
    package let name: String

    /// The places of the name, that of its key first.
    package var places: [JSONPath] { ([reserved.key] + reserved.uses).map(\.path) }
  }

  /// In the order of the file.
  package let renames: [Rename]
  /// The text with the new names; every other byte stays.
  package let text: [UInt8]

  /// Chooses a new name for each reserved one: `my-player`, or `my-player-2` if that is taken.
  ///
  /// - Parameter bytes: The text of a `devices.json`, with any mistakes but those of its syntax.
  package init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
    let document = try JSONDocument(parsing: bytes)
    let reserved = ReservedName.all(in: document.value, mostUses: .max)
    var taken = Set(["devices", "groups"].flatMap { document.value[$0]?.object?.keys ?? [] })
    for scene in document.value["scenes"]?.object ?? [:] {
      taken.formUnion(scene.value["parameters"]?.object?.keys ?? [])
    }
    renames = reserved.map { reserved in
      let name = Self.free(like: reserved.name, taken: taken)
      // Each scene has parameters of its own.
      if reserved.kind != .parameter { taken.insert(name) }
      return Rename(reserved: reserved, name: name)
    }
    text = document.renaming(
      renames.flatMap { rename in
        let reserved = rename.reserved
        return ([reserved.key] + reserved.uses).map { place in
          let sign = reserved.kind == .parameter && !place.isKey ? "$" : ""
          return JSONDocument.Renaming(
            path: place.path, isKey: place.isKey, text: sign + rename.name)
        }
      })
  }

  private static func free(like name: String, taken: Set<String>) -> String {
    let first = "my-\(name)"
    var (free, number) = (first, 2)
    while taken.contains(free) {
      free = "\(first)-\(number)"
      number += 1
    }
    return free
  }
}
