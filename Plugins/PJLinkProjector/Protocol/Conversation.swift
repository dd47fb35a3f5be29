/// One connection to a projector as a state machine without I/O: bytes come in, actions go out.
///
/// The projector speaks first. After the greeting and the authentication, one command is sent at a time.
struct Conversation {
  enum Action: Equatable {
    case send([UInt8])
    /// Commands may be asked from now on.
    case ready(Authentication.Method)
    case answer(PJLinkAnswer)
    case fail(LinkFailure)
    /// A line that answers nothing, for the log.
    case ignored(String)
  }

  /// The most lines without a meaning before a reply.
  static let mostIgnored = 32

  private enum Phase {
    case greeting
    /// SHA-256 was asked for.
    case challenge
    case idle
    case asking(PJLinkRequest)
    case ended
  }

  private let authentication: Authentication
  private let nonce: @Sendable () -> [UInt8]
  private var phase = Phase.greeting
  private var reader = LineReader()
  /// The proof of the password, for the first command; empty afterwards.
  private var proof = ""
  private var isFirstCommand = true
  private var ignored = 0

  /// - Parameter nonce: Makes ``Authentication/nonceSize`` random bytes.
  init(_ authentication: Authentication, nonce: @escaping @Sendable () -> [UInt8]) {
    self.authentication = authentication
    self.nonce = nonce
  }

  /// Returns the bytes of a command; nil while another one is under way or before `ready`.
  mutating func ask(_ request: PJLinkRequest) -> [UInt8]? {
    guard case .idle = phase else { return nil }
    phase = .asking(request)
    defer { proof = "" }
    return Array((proof + request.text + "\r").utf8)
  }

  /// Takes received bytes. Nothing follows `fail`.
  mutating func receive(_ bytes: [UInt8]) -> [Action] {
    reader.append(bytes).flatMap { line -> [Action] in
      if case .ended = phase { return [] }
      switch line {
      case .oversized: return ignore("a line of more than \(LineReader.longestLine) bytes")
      case .text(let text): return receive(text)
      }
    }
  }

  /// The failure when nothing more came in time.
  mutating func timedOut() -> LinkFailure { failure { .noReply($0.text) } }

  /// The failure when the projector closed the connection.
  mutating func disconnected() -> LinkFailure { failure { _ in .disconnected } }

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
    // A projector of class 1 takes this for a command without its proof.
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
