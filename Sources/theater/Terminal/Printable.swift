import JSON

extension String {
  /// The text with everything that could move a cursor, colour a screen or turn the direction of
  /// writing as `\u001b`: what plugins and files say is shown, never obeyed. In JSON it still means
  /// the same.
  ///
  /// - Parameter keepingLines: Whether line breaks stay, as in a text of our own.
  func printable(keepingLines: Bool = false) -> String {
    if isPrintable { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isPrintable || (keepingLines && scalar == "\n") {
        text.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return text
  }

  /// Whether nothing in it could move a cursor, colour a screen or turn the direction of writing.
  var isPrintable: Bool { unicodeScalars.allSatisfy(\.isPrintable) }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch value {
    case 0x20..<0x7F: true
    // Joiners belong to many scripts and move nothing.
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
  /// The value with printable texts, each on one line: for what people read.
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
