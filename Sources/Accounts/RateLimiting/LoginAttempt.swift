/// A guess on its way: what is counted, the most special first, and what each is allowed.
struct LoginAttempt: Sendable {
  let keys: [GuessKey]
  let allowances: [AttemptAllowance]
  /// When it was counted, and what had been counted before; set by `RateLimiter`.
  var counted: (at: SteadyTime, before: [LoginAttemptTally?])?

  /// A guess from a device that is known to the account.
  init(device: SecretDigest) {
    keys = [GuessKey(digest: device, account: nil)]
    allowances = [.device]
  }

  /// A guess of a stranger, or at the terminal of this machine.
  /// - Parameter email: whose account it is at; nil where none is claimed.
  init(at email: EmailAddress?, from origin: Origin = .current) {
    let source = AttemptSource(origin).text
    let account = email.map { Self.digest(ofAccount: $0.key) }
    let pair = GuessKey(
      digest: SecretDigest(of: "\(source) \(email?.key ?? "")", purpose: "guesses from at"),
      account: account)
    if origin.isThisMachine {
      keys = [pair]
      allowances = [.terminal]
      return
    }
    let alone = GuessKey(
      digest: SecretDigest(of: source, purpose: "guesses from"), account: nil)
    if let account {
      keys = [pair, GuessKey(digest: account, account: account), alone]
      allowances = [.pair, .account, .source]
    } else {
      keys = [alone]
      allowances = [.source]
    }
  }

  /// Whether what is counted first is one client's alone; a source without an account is not.
  var isOfOneClient: Bool { allowances.first != .source }

  /// What stands for an account, whether it exists or not.
  static func digest(ofAccount key: String) -> SecretDigest {
    SecretDigest(of: key, purpose: "guesses at")
  }
}
