/// What a one-time code is good for. A code for one purpose opens nothing else.
package enum CodePurpose: String, Sendable, CaseIterable {
  case verifyEmail, verifyPhone, resetPassword, logIn
}

/// The identity of the request for which a code was sent: 128 random bits. A code is good together
/// with its request alone, so that who asked is who answers.
package struct CodeRequestID: Hashable, Sendable {
  package let text: String

  /// Takes what a front end or a store hands over.
  package init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }
}

/// What is told to who asked for a code; the same whether or not anybody was there to get it.
package struct CodeRequest: Hashable, Sendable {
  /// To be handed in with the code.
  package let id: CodeRequestID
  /// How many digits the code has.
  package let digits: Int
  /// How long it is good.
  package let validity: Duration
  /// How long until another can be asked for.
  package let resendWait: Duration
}

/// The numbers of D8.
package struct CodePolicy: Sendable {
  /// Digits of a code.
  package let digits: Int
  /// Wrong ones until it is void.
  package let tries: Int
  /// How long it is good.
  package let validity: Duration
  /// When the next may be sent.
  package let sends: SendSchedule

  package static let standard = CodePolicy()

  package init(
    digits: Int = 6, tries: Int = 5, validity: Duration = .seconds(600),
    sends: SendSchedule = .standard
  ) {
    self.digits = digits
    self.tries = tries
    self.validity = validity
    self.sends = sends
  }
}

/// How often a code may be sent to one place.
package struct SendSchedule: Sendable {
  /// The wait after the first send, the second, …; the last holds for all that follow.
  package let waits: [Duration]
  /// Most sends in `window`.
  package let most: Int
  package let window: Duration

  /// 30 → 60 → 120 s, and at most 5 sends an hour.
  package static let standard = SendSchedule(
    waits: [.seconds(30), .seconds(60), .seconds(120)], most: 5, window: .seconds(3600))

  package init(waits: [Duration], most: Int, window: Duration) {
    self.waits = waits
    self.most = most
    self.window = window
  }

  /// How long until the next may be sent.
  /// - Parameter sent: when the sends within the window were.
  package func wait(after sent: [SteadyTime], at now: SteadyTime) -> Duration {
    let recent = sent.map { now.left(of: window, since: $0) }.filter { $0 > .zero }.sorted(by: >)
    guard let newest = recent.first, let last = waits.last else { return .zero }
    let step = recent.count <= waits.count ? waits[recent.count - 1] : last
    var wait = step - (window - newest)
    // The window has room again when the oldest of the newest `most` has left it.
    if recent.count >= most, most > 0 { wait = max(wait, recent[most - 1]) }
    return max(.zero, wait)
  }
}
