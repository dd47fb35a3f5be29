/// The origin of a request, for rate limits, lists of sessions and the audit log.
///
/// Front ends set `Origin.current` around each request, so that it need not be passed through every
/// call. Without it a request counts as a stranger's.
public struct Origin: Hashable, Sendable {
  /// The peer's address: `192.168.1.20`, `fe80::1`; for the terminal of this machine `local`, with
  /// the user if the system reports it: `local (uid 1000)`.
  public let address: String
  /// The person's device, as it calls itself: `Firefox on Android`.
  public let device: String

  /// The most characters of each part that are kept.
  public static let longest = 80

  /// Replaces characters that could disturb a terminal or a page by `?`.
  public init(address: String, device: String) {
    self.address = Self.sanitized(address)
    self.device = Self.sanitized(device)
  }

  /// The terminal of this machine.
  /// - Parameter user: The user's id; nil when the system does not report it.
  public static func terminal(user: UInt32?, device: String) -> Origin {
    Origin(
      address: user.map { "\(terminalAddress) (uid \($0))" } ?? terminalAddress, device: device)
  }

  /// Whether the request comes from the terminal of this machine, as the user that the controller
  /// runs as.
  public var isTerminal: Bool {
    address.split(separator: " ").first == Self.terminalAddress[...]
  }

  private static let terminalAddress = "local"

  /// The controller itself, for its own entries in the audit log. It has no privileges.
  public static let controller = Origin(address: "controller", device: "")
  /// The origin of a request whose front end did not set `current`: a stranger.
  public static let unknown = Origin(address: "unknown", device: "")

  /// The origin of the current request.
  @TaskLocal public static var current = Origin.unknown

  private static func sanitized(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(longest).map { $0.isDisturbing ? "?" : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character, invisible, a direction mark, a line end, or unassigned. Such
  /// characters could disguise text in a terminal or a page.
  public var isDisturbing: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: false
    }
  }
}

extension String {
  /// The text with every disturbing character escaped: `\u{1B}`.
  public var escapingDisturbing: String {
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
