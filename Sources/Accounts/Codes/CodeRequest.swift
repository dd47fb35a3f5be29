/// The purpose of a one-time code, which is valid for nothing else.
public enum CodePurpose: String, Sendable, CaseIterable {
  case verifyEmail, verifyPhone, resetPassword, logIn, register
}

/// The identity of the request for which a code was sent: 128 random bits. A code is valid only with
/// its request, so that only the requester can use it.
public struct CodeRequestID: Hashable, Sendable {
  /// 32 lower-case hexadecimal digits.
  public let text: String

  /// Takes a received or stored identity.
  public init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }
}

/// The answer to a request for a code; the same whether or not the address belongs to an account.
public struct CodeRequest: Hashable, Sendable {
  /// To be sent with the code.
  public let id: CodeRequestID
  /// The number of digits.
  public let digits: Int
  /// The validity of the code.
  public let validity: Duration
  /// The time until another code can be requested.
  public let resendWait: Duration
}

/// The requester of a code. Sends are counted for each, and a new code voids earlier ones of the same requester only,
/// so that a stranger's requests for a person's address do not keep that person from getting codes.
enum CodeRequester: Sendable {
  /// A session of the account itself.
  case session
  /// A known device of the account.
  case device(SecretDigest)
  /// The terminal of this machine.
  case terminal
  /// Everything else.
  case stranger(AttemptSource)

  /// Different for each requester.
  var text: String {
    switch self {
    case .session: "session"
    case .device(let digest): "device \(digest.bytes)"
    case .terminal: "terminal"
    case .stranger(let source): "stranger \(source.text)"
    }
  }
}
