import JSON

/// A line that a projector sends.
enum PJLinkLine: Equatable {
  /// `PJLINK 0`: the projector asks for no password.
  case noPassword
  /// `PJLINK 1 498e4a67`: the projector asks for the password, hashed with this salt.
  case salt(String)
  /// `PJLINK 2 3db2…`: the projector's 16 random bytes for SHA-256.
  case challenge([UInt8])
  /// `PJLINK ERRA`: the password is wrong.
  case denied
  /// `%1POWR=1`: the reply to a command.
  case reply(command: String, PJLinkAnswer)

  /// Parses a line without its end; nil if it is not PJLink. Blanks around the line and its parts have no meaning:
  /// some projectors send one behind a value.
  init?(_ text: String) {
    let text = text.withoutBlanks
    if text.uppercased().hasPrefix("PJLINK ") {
      self.init(session: text.dropFirst("PJLINK ".count))
    } else {
      self.init(replyText: text)
    }
  }

  private init?(session text: Substring) {
    let words = text.split(separator: " ")
    switch (words.first, words.dropFirst().first, words.count) {
    case ("0", nil, 1): self = .noPassword
    // The specification says eight hexadecimal digits; the digest works with any other salt, too.
    case ("1", let salt?, 2) where Self.isSalt(salt): self = .salt(String(salt))
    case ("2", let challenge?, 2):
      guard let bytes = Hexadecimal.bytes(challenge), bytes.count == Authentication.nonceSize else {
        return nil
      }
      self = .challenge(bytes)
    case (let word?, nil, 1) where word.uppercased() == "ERRA": self = .denied
    default: return nil
    }
  }

  private static func isSalt(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  private init?(replyText text: String) {
    guard let separator = text.firstIndex(of: "=") else { return nil }
    let head = String(text[..<separator]).withoutBlanks.uppercased()
    guard head.utf8.count == 6, head.hasPrefix("%1") || head.hasPrefix("%2") else { return nil }
    self = .reply(
      command: String(head.dropFirst(2)), PJLinkAnswer(text[text.index(after: separator)...]))
  }
}

/// The parameter of a reply.
package enum PJLinkAnswer: Equatable, Sendable {
  /// The requested value, or `OK`.
  case value(String)
  case error(PJLinkError)

  package init(_ text: some StringProtocol) {
    let text = String(text).withoutBlanks
    if let error = PJLinkError(rawValue: text.uppercased()) {
      self = .error(error)
    } else {
      self = .value(text)
    }
  }
}

/// An error in a projector's reply.
package enum PJLinkError: String, Sendable {
  /// The projector does not know the command.
  case undefined = "ERR1"
  /// The parameter is out of range, such as an input that the projector lacks.
  case parameter = "ERR2"
  /// Not now: the projector warms, cools or is in standby.
  case notNow = "ERR3"
  /// The projector has a failure.
  case failure = "ERR4"
}

extension String {
  /// The text without white space and control characters at its ends.
  var withoutBlanks: String {
    let isBlank = { (character: Character) in
      character.isWhitespace || character.unicodeScalars.allSatisfy { $0.value < 32 }
    }
    let start = drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(start[...last])
  }
}
