/// One of the things that an access token may do. A token may do what its scopes say and nothing else.
///
/// Each scope has a word, which stands in the store, in the API and at the terminal: `pause`, `view`,
/// `scene:good-night`. A word of an unknown kind is refused, so that a token of a newer version never does more than
/// its owner chose.
public enum TokenScope: Hashable, Sendable {
  /// What the owner's role may do, but for accounts, credentials and everything that needs a fresh proof.
  case everything
  /// See the status, the devices and the library, and follow the events.
  case view
  /// An operation of the theater by its name, such as `pause`.
  case command(String)
  /// A command of one device.
  case device(String, command: String)
  /// Run a scene.
  case scene(String)
  /// Begin an activity.
  case activity(String)

  /// Reads a word; nil for a word of no known form. The caller checks that the named things exist.
  public init?(word: String) {
    switch word {
    case "all": self = .everything
    case "view": self = .view
    default:
      guard let colon = word.firstIndex(of: ":") else {
        guard Self.isName(word) else { return nil }
        self = .command(word)
        return
      }
      let name = String(word[word.index(after: colon)...])
      switch word[..<colon] {
      case "scene" where Self.isName(name): self = .scene(name)
      case "activity" where Self.isName(name): self = .activity(name)
      case "device":
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy(Self.isName) else { return nil }
        self = .device(parts[0], command: parts[1])
      default: return nil
      }
    }
  }

  /// The word that `init(word:)` reads.
  public var word: String {
    switch self {
    case .everything: "all"
    case .view: "view"
    case .command(let name): name
    case .device(let device, let command): "device:\(device)/\(command)"
    case .scene(let name): "scene:\(name)"
    case .activity(let name): "activity:\(name)"
    }
  }

  /// Whether it can be a name of `devices.json` or of an operation: 1 to 64 bytes without separators.
  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { !$0.isDisturbing && !":/, ".unicodeScalars.contains($0) }
  }
}
