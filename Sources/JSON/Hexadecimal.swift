/// Conversions between bytes and hexadecimal digits.
package enum Hexadecimal {
  /// Returns all digits of a number: two for each byte.
  package static func text(
    _ number: some FixedWidthInteger & UnsignedInteger, uppercase: Bool = false
  ) -> String {
    let digits = String(number, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, number.bitWidth / 4 - digits.utf8.count)) + digits
  }

  /// Returns two lower-case digits for each byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { text($0) }.joined()
  }

  /// Parses two digits for each byte; `nil` for any other text.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard let byte = byte(rest.prefix(2)) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// Returns the byte of two digits in ASCII; `nil` for anything else, such as a sign and a digit.
  package static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
    guard digits.count == 2, let high = digits.first.flatMap(value),
      let low = digits.dropFirst().first.flatMap(value)
    else { return nil }
    return high << 4 | low
  }

  /// Returns the value of a digit in ASCII, of either case.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
