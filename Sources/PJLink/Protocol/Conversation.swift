/// A state machine of one connection to a projector, without I/O. Received bytes are its input; it returns the actions
/// to execute.
///
/// The projector sends a greeting first. After the authentication, the client sends one command at a time.
struct Conversation {
  enum Action: Equatable {
    case send([UInt8])
    /// Commands may be sent from now on.
    case ready(Authentication.Method)
    case answer(PJLinkAnswer)
    case fail(LinkFailure)
    /// A description of a received line that answers no request, for the log.
    case ignored(String)
  }

  /// The largest number of lines that answer no request before a reply.
  static let mostIgnored = 32

  private enum Phase {
    case greeting
    /// The client has asked for SHA-256, and waits for the projector's random bytes.
    case challenge
    case idle
    case asking(PJLinkRequest)
    case ended
  }

  private let authentication: Authentication
  private let nonce: @Sendable () -> [UInt8]
  private var phase = Phase.greeting
  private var reader = LineReader()
  /// The proof of the password, which precedes the first command; empty afterwards.
  private var proof = ""
  private var isFirstCommand = true
  private var ignored = 0

  /// - Parameter nonce: Returns ``Authentication/nonceSize`` random bytes.
  init(_ authentication: Authentication, nonce: @escaping @Sendable () -> [UInt8]) {
    self.authentication = authentication
    self.nonce = nonce
  }

  /// Whether the conversation waits for the answer to SHA-256.
  var isInChallenge: Bool { if case .challenge = phase { true } else { false } }

  /// Returns the bytes to send for a request; nil before `ready`, and while another request is in progress.
  mutating func ask(_ request: PJLinkRequest) -> [UInt8]? {
    guard case .idle = phase else { return nil }
    phase = .asking(request)
    defer { proof = "" }
    return Array((proof + request.text + "\r").utf8)
  }

  /// Handles received bytes, and returns the actions to execute. No action follows `fail`.
  mutating func receive(_ bytes: [UInt8]) -> [Action] {
    reader.append(bytes).flatMap { line -> [Action] in
      if case .ended = phase { return [] }
      switch line {
      case .oversized: return ignore("a line of more than \(LineReader.longestLine) bytes")
      case .text(let text): return receive(text)
      }
    }
  }

  /// Ends the conversation, because nothing more came in time. Returns the failure.
  mutating func endAfterTimeout() -> LinkFailure { failure { .noReply($0.text) } }

  /// Ends the conversation, because the projector closed the connection. Returns the failure.
  mutating func endAfterDisconnect() -> LinkFailure { failure { _ in .disconnected } }

  private mutating func failure(asking: (PJLinkRequest) -> LinkFailure) -> LinkFailure {
    defer { phase = .ended }
    return switch phase {
    case .greeting: .noGreeting
    case .challenge: .noSHA256
    case .asking(let request): asking(request)
    case .idle, .ended: .disconnected
    }
  }

  private mutating func receive(_ text: String) -> [Action] {
    guard !text.isEmpty else { return [] }
    switch (phase, PJLinkLine(text)) {
    case (.greeting, .noPassword): return begin(.none, proof: "")
    case (.greeting, .salt(let salt)): return authenticate(salt)
    case (.greeting, _): return end(.notPJLink(String(text.prefix(40))))
    case (.challenge, .challenge(let bytes)):
      let proof = Authentication.sha256(
        projector: bytes, client: nonce(), password: authentication.password ?? "")
      return begin(.sha256, proof: proof)
    // A projector that does not know SHA-256 takes `PJLINK 2` for a command without the proof of the password.
    case (.challenge, .denied), (.challenge, .reply): return end(.noSHA256)
    case (.asking(let request), .reply(let command, let answer)) where command == request.command:
      phase = .idle
      isFirstCommand = false
      ignored = 0
      return [.answer(answer)]
    case (.asking, .denied): return end(isFirstCommand ? .wrongPassword : .disconnected)
    default: return ignore("\"\(text)\"")
    }
  }

  private mutating func authenticate(_ salt: String) -> [Action] {
    guard let password = authentication.password else { return end(.passwordMissing) }
    if authentication.triesSHA256 {
      phase = .challenge
      return [.send(Array("PJLINK 2\r".utf8))]
    }
    guard authentication.policy != .sha256 else { return end(.noSHA256) }
    return begin(.md5, proof: Authentication.md5(salt: salt, password: password))
  }

  private mutating func begin(_ method: Authentication.Method, proof: String) -> [Action] {
    self.proof = proof
    phase = .idle
    return [.ready(method)]
  }

  private mutating func end(_ failure: LinkFailure) -> [Action] {
    phase = .ended
    return [.fail(failure)]
  }

  private mutating func ignore(_ what: String) -> [Action] {
    ignored += 1
    guard ignored <= Self.mostIgnored else { return end(.flood) }
    return [.ignored(what)]
  }
}
