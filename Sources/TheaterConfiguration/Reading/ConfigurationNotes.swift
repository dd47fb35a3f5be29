import JSON

/// The member "note", which every object of the file may have: a text for people, which the controller never reads.
///
/// JSON has no comments.
enum ConfigurationNotes {
  /// The key of a note.
  static let key = "note"

  /// The schema of a note, for editors.
  static let schema: JSON = [
    "type": "string", "description": "A text for people. The controller does not read it.",
  ]

  /// Returns a value without the notes in it. A member "note" that is not a text stays, and so is reported.
  static func removed(from value: JSON) -> JSON {
    switch value {
    case .array(let values): .array(values.map(removed))
    case .object(let object):
      .object(
        JSONObject(
          object.compactMap { key, value in
            key == Self.key && value.string != nil ? nil : (key, removed(from: value))
          }))
    default: value
    }
  }
}
