import JSON

/// A text with the placeholders `{phone}` and `{text}`, whose values are escaped.
package struct MessageTemplate: Sendable, Hashable {
  /// The escaping of the values.
  package enum Escaping: Sendable, Hashable {
    /// As part of a JSON string (RFC 8259).
    case json
    /// Percent-encoded, for a form or a query (RFC 3986).
    case percent
    /// For text and attributes of XML.
    case xml
    /// Unchanged.
    case plain

    /// The escaping for a media type; nil for an unknown one.
    package init?(contentType: String) {
      switch contentType.split(separator: ";").first.map({ $0.lowercased().filter { $0 != " " } }) {
      case "application/json"?: self = .json
      case "application/x-www-form-urlencoded"?: self = .percent
      case "application/xml"?, "text/xml"?: self = .xml
      case "text/plain"?: self = .plain
      default: return nil
      }
    }
  }

  private let text: String
  private let escaping: Escaping

  /// - Parameter text: A text in which `{phone}` and `{text}` are placeholders.
  package init(_ text: String, escaping: Escaping) {
    self.text = text
    self.escaping = escaping
  }

  /// Returns the text with both values filled in. Placeholders inside a value stay as they are.
  package func filled(phone: String, text value: String) -> String {
    var filled = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      filled += rest[..<brace]
      rest = rest[brace...]
      if rest.hasPrefix("{phone}") {
        filled += escaped(phone)
        rest = rest.dropFirst("{phone}".count)
      } else if rest.hasPrefix("{text}") {
        filled += escaped(value)
        rest = rest.dropFirst("{text}".count)
      } else {
        filled.append(rest.removeFirst())
      }
    }
    return filled + rest
  }

  private func escaped(_ value: String) -> String {
    switch escaping {
    case .plain: return value
    case .json:
      var bytes: [UInt8] = []
      JSON.string(value).append(to: &bytes)
      return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    case .percent: return PercentEncoding.encode(value)
    case .xml:
      return value.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
        .replacing("'", with: "&apos;")
    }
  }
}
