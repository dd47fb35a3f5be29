/// Where a request comes from, for lists of sessions and for the audit log.
///
/// The edge sets it around each request; what happens at the gate reads it as `Origin.current`, so
/// that it need not be handed through every call.
package struct Origin: Hashable, Sendable {
  /// The peer's address: `192.168.1.20`, `fe80::1`; for the terminal of this machine `local`, with
  /// the user as far as the system tells: `local (uid 1000)`.
  package let address: String
  /// What the person holds in the hand, as far as it tells: `Firefox on Android`.
  package let device: String

  /// Most characters of each part that are kept.
  package static let longest = 80

  /// Takes both as they are; what could disturb a terminal or a page becomes `?`.
  package init(address: String, device: String) {
    self.address = Self.tidy(address)
    self.device = Self.tidy(device)
  }

  /// At the terminal of this machine.
  /// - Parameter user: who is there; nil where nobody knows.
  package static func terminal(user: UInt32?, device: String) -> Origin {
    Origin(
      address: user.map { "\(terminalAddress) (uid \($0))" } ?? terminalAddress, device: device)
  }

  /// Whether it is somebody at this machine, as the user whose theater it is: at its terminal, or
  /// the controller itself.
  package var isThisMachine: Bool {
    self == .controller || address.split(separator: " ").first == Self.terminalAddress[...]
  }

  private static let terminalAddress = "local"

  /// The controller itself: what happens outside any request.
  package static let controller = Origin(address: "controller", device: "")

  /// Where the request comes from that runs here.
  @TaskLocal package static var current = Origin.controller

  private static func tidy(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(longest).map { $0.isDisturbing ? "?" : $0 }))
  }
}

extension Unicode.Scalar {
  /// Control characters, marks that nobody sees or that turn the direction of text, line ends, and
  /// what has no meaning: shown in a terminal or a page they could pass for something else.
  package var isDisturbing: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: false
    }
  }
}

extension String {
  /// The text with every disturbing character written out: `\u{1B}`.
  package var escapingDisturbing: String {
    guard unicodeScalars.contains(where: \.isDisturbing) else { return self }
    return unicodeScalars.reduce(into: "") { text, point in
      if point.isDisturbing {
        text += "\\u{\(String(point.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(point)
      }
    }
  }
}
