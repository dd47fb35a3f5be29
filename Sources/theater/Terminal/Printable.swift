import JSON

extension String {
  /// The text without white space at both ends.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// The text with control and format characters escaped as `\u001b`, so that text from plugins and
  /// files cannot move the cursor, set colours or change the writing direction. Escaped JSON keeps
  /// its meaning.
  ///
  /// - Parameter keepingLines: Whether line breaks stay.
  func printable(keepingLines: Bool = false) -> String {
    if isPrintable { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isPrintable || (keepingLines && scalar == "\n") {
        text.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 { text += "\\u" + Hexadecimal.text(unit) }
      }
    }
    return text
  }

  /// Whether the text has no control and format characters.
  var isPrintable: Bool { unicodeScalars.allSatisfy(\.isPrintable) }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch value {
    case 0x20..<0x7F: true
    // Joiners are part of the text in many scripts, and harmless.
    case 0x200C, 0x200D: true
    default:
      switch properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }
}

extension JSON {
  /// The value with all of its strings and keys printable, without line breaks.
  var printable: JSON {
    switch self {
    case .string(let text): .string(text.printable())
    case .array(let values): .array(values.map(\.printable))
    case .object(let members):
      .object(JSONObject(members.map { ($0.key.printable(), $0.value.printable) }))
    case .null, .bool, .integer, .number: self
    }
  }
}
