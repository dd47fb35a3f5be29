/// Who asks for a code, as far as sends are counted. Each has sends of their own, and voids their own
/// codes alone: whoever asks for codes to somebody else's address keeps that person from none.
enum CodeAsker: Sendable {
  /// A session of the account itself.
  case session
  /// A device that the account knows.
  case device(SecretDigest)
  /// The terminal of this machine.
  case terminal
  /// Anybody else.
  case stranger(AttemptSource)

  /// Apart for each.
  var text: String {
    switch self {
    case .session: "session"
    case .device(let digest): "device \(digest.bytes)"
    case .terminal: "terminal"
    case .stranger(let source): "stranger \(source.text)"
    }
  }
}
