import JSON

/// A text with `{phone}` and `{text}` in it, filled in so that neither can break out of its place.
package struct MessageTemplate: Sendable, Hashable {
  /// How a value is written so that it stays one value.
  package enum Escaping: Sendable, Hashable {
    /// Inside the quotes of a JSON text (RFC 8259).
    case json
    /// In a form or the query of an address: all but unreserved characters as `%20` (RFC 3986).
    case percent
    /// Between the tags or quotes of XML.
    case xml
    /// As it is.
    case plain

    /// What a body of this media type needs; nil where nobody knows.
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

  package init(_ text: String, escaping: Escaping) {
    self.text = text
    self.escaping = escaping
  }

  /// The text with both values in it. What a value contains is not read again.
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
    case .percent: return value.utf8.map(Self.percent).joined()
    case .xml:
      return value.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
        .replacing("'", with: "&apos;")
    }
  }

  private static func percent(_ byte: UInt8) -> String {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~": return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
    }
  }
}
