import JSON

extension JSONSyntaxError {
  /// The next action for a person who edits `devices.json`.
  package var hint: String {
    [mistakeHint, "Correct this first; the rest of the file is checked after it."]
      .compactMap(\.self).joined(separator: " ")
  }

  private var mistakeHint: String? {
    switch mistake {
    case .comment:
      "Remove it, or write it as a member: \"\(ConfigurationNotes.key)\": \"…\". "
        + "Every object may have one."
    case .missingComma: "Add the comma here."
    case .trailingComma: "Remove this comma."
    case .foreignQuote: "Type the straight quote \" with an editor for plain text."
    case .foreignSpace: "Replace it by an ordinary space."
    case .encoding: "Choose the encoding UTF-8, without a byte-order mark, when you save the file."
    case .spelling: "JSON has only true, false and null, in lower case."
    case .unquotedWord: "Put double quotes around it."
    case .otherFormat:
      "The file is JSON: it begins with {, and names and texts stand in double quotes."
    case .other: nil
    }
  }
}
