/// A guess on its way: what is counted, the most special first, and what each is allowed.
struct Guess: Sendable {
  let keys: [GuessKey]
  let allowances: [Allowance]
  /// When it was counted, and what had been counted before; set by `Throttle`.
  var counted: (at: SteadyTime, before: [GuessTally?])?

  /// Where a guess is made: at which account, and from where.
  struct Place {
    /// As typed and folded; nil where none is claimed.
    let account: String?
    /// The same, where it could have an account.
    let email: EmailAddress?
    let origin: Origin

    init(_ claim: String?, from origin: Origin = .current) {
      email = claim.flatMap { try? EmailAddress($0) }
      account = email?.key ?? claim?.lowercased()
      self.origin = origin
    }
  }

  /// A guess from a device that is known to the account.
  init(device: SecretDigest) {
    keys = [GuessKey(digest: device, account: nil)]
    allowances = [.device]
  }

  /// A guess of a stranger, or at the terminal of this machine.
  init(at place: Place) {
    let source = GuessSource(place.origin).text
    let account = place.account.map(Self.digest(ofAccount:))
    let pair = GuessKey(
      digest: SecretDigest(of: "\(source) \(place.account ?? "")", purpose: "guesses from at"),
      account: account)
    if place.origin.isThisMachine {
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

  /// What stands for an account, whether it exists or not.
  static func digest(ofAccount key: String) -> SecretDigest {
    SecretDigest(of: key, purpose: "guesses at")
  }
}
