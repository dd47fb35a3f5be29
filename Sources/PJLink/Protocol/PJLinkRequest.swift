/// A query of a value. The raw value is the command of PJLink.
package enum PJLinkQuery: String, CaseIterable, Sendable {
  case power = "POWR"
  case input = "INPT"
  case mute = "AVMT"
  case errors = "ERST"
  case lamps = "LAMP"
  case inputs = "INST"
  case name = "NAME"
  case manufacturer = "INF1"
  case product = "INF2"
  case pjlinkClass = "CLSS"
  case filter = "FILT"

  /// The lowest class of PJLink that has the query.
  package var minimumClass: Int { self == .filter ? 2 : 1 }
}

/// A request to a projector.
package enum PJLinkRequest: Hashable, Sendable {
  case query(PJLinkQuery)
  case turnOn
  case turnOff
  case select(PJLinkInput)

  /// The four characters of the command, which the reply repeats.
  var command: String {
    switch self {
    case .query(let query): query.rawValue
    case .turnOn, .turnOff: PJLinkQuery.power.rawValue
    case .select: PJLinkQuery.input.rawValue
    }
  }

  /// The line without its end, such as `%1POWR 1`.
  package var text: String {
    switch self {
    case .query(let query): "%\(query.minimumClass)\(command) ?"
    case .turnOn: "%1\(command) 1"
    case .turnOff: "%1\(command) 0"
    case .select(let input): "%1\(command) \(input.code)"
    }
  }
}

/// An input of a projector: the kind (1 RGB, 2 video, 3 digital, 4 storage, 5 network, 6 internal) and the
/// number, 1 to 9 or A to Z.
package struct PJLinkInput: Hashable, Sendable {
  /// The two characters, such as `31`.
  package let code: String

  /// Parses the two characters; nil for any other text.
  package init?(_ code: some StringProtocol) {
    let bytes = Array(code.utf8)
    guard bytes.count == 2, let kind = bytes.first, let number = bytes.last,
      (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(kind),
      (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(number)
        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(number)
    else { return nil }
    self.code = String(code)
  }
}
