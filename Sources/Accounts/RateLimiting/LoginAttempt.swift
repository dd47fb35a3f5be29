/// An attempt being checked: the keys of its tallies, the most specific first, and the allowance of
/// each.
struct LoginAttempt: Sendable {
  let keys: [AttemptKey]
  let allowances: [AttemptAllowance]
  /// When it was counted, and the tallies before; set by `RateLimiter`.
  var counted: (at: SteadyTime, before: [LoginAttemptTally?])?

  /// An attempt from a known device of the account.
  init(device: SecretDigest) {
    keys = [AttemptKey(digest: device, account: nil)]
    allowances = [.device]
  }

  /// An attempt of a stranger, or at the terminal of this machine.
  /// - Parameter email: The claimed account; nil when none is claimed.
  init(at email: EmailAddress?, from origin: Origin = .current) {
    let source = AttemptSource(origin).text
    let account = email.map { Self.digest(ofAccount: $0.key) }
    let pair = AttemptKey(
      digest: SecretDigest(of: "\(source) \(email?.key ?? "")", purpose: "guesses from at"),
      account: account)
    if origin.isTerminal {
      keys = [pair]
      allowances = [.terminal]
      return
    }
    let alone = AttemptKey(
      digest: SecretDigest(of: source, purpose: "guesses from"), account: nil)
    if let account {
      keys = [pair, AttemptKey(digest: account, account: account), alone]
      allowances = [.pair, .account, .source]
    } else {
      keys = [alone]
      allowances = [.source]
    }
  }

  /// An attempt with a wrong access token. It is counted apart from every other attempt.
  init(withTokenFrom origin: Origin) {
    keys = [
      AttemptKey(
        digest: SecretDigest(of: AttemptSource(origin).text, purpose: "wrong tokens from"),
        account: nil)
    ]
    allowances = [.source]
  }

  /// Whether its first tally belongs to one client; that of a source alone may be shared.
  var isOfOneClient: Bool { allowances.first != .source }

  /// The digest of an account's address, whether the account exists or not.
  static func digest(ofAccount key: String) -> SecretDigest {
    SecretDigest(of: key, purpose: "guesses at")
  }
}

/// The source of attempts, as they are counted: an IPv4 address, or an IPv6 network of 64 bits, in
/// which one machine can take any number of addresses.
struct AttemptSource: Hashable, Sendable {
  let text: String

  /// Takes the text of an origin without an IP address as it is.
  init(_ origin: Origin) {
    guard let bytes = PeerAddress(origin.address)?.source else {
      text = origin.address
      return
    }
    text =
      bytes.count == 4
      ? bytes.map { String($0) }.joined(separator: ".")
      : bytes.map { String($0, radix: 16) }.joined(separator: ":")
  }
}

/// The number of failures that cost no time, and the growth of the waits after them.
struct AttemptAllowance: Hashable, Sendable {
  /// Failures before the first wait; as many attempts may run at once.
  let free: Int
  /// The longest wait. An attempt that has to wait is not counted, so repeating it does not extend
  /// the wait.
  let longest: Duration

  /// For one account from one source.
  static let pair = AttemptAllowance(free: 5, longest: .seconds(900))
  /// For one account from all sources together: at most 1,440 attempts a day.
  static let account = AttemptAllowance(free: 10, longest: .seconds(60))
  /// For one source at all accounts. A household may share a source.
  static let source = AttemptAllowance(free: 30, longest: .seconds(60))
  /// For one account from the terminal of this machine, whatever happens elsewhere.
  static let terminal = AttemptAllowance(free: 50, longest: .seconds(60))
  /// For a device that has logged in before. After these failures it counts like any other device.
  static let device = AttemptAllowance(free: 5, longest: .zero)

  /// The wait after a number of failures: 1 s after the last free one, then doubled each time.
  func wait(after failures: Int) -> Duration {
    guard failures >= free else { return .zero }
    // Beyond 2³² seconds every `longest` is reached.
    return min(longest, .seconds(Int64(1) << min(32, failures - free)))
  }
}
