/// The numbers of D8.
package struct CodePolicy: Sendable {
  /// Digits of a code.
  package let digits: Int
  /// Wrong ones until it is void.
  package let tries: Int
  /// How long it is good.
  package let validity: Duration
  /// When one asker may have the next sent to one place.
  package let sends: SendSchedule
  /// The same for all strangers together: more than one of them, so that no other is left without.
  package let strangersSends: SendSchedule
  /// What a stranger's source may have sent to all places together.
  package let sourceSends: SendSchedule
  /// How many codes may be on their way before strangers are told to come later: each takes a row
  /// for as long as it is good. It takes hundreds of sources to get there.
  package let mostCodes: Int

  package static let standard = CodePolicy()

  package init(
    digits: Int = 6, tries: Int = 5, validity: Duration = .seconds(600),
    sends: SendSchedule = .standard, strangersSends: SendSchedule = .strangers,
    sourceSends: SendSchedule = .source, mostCodes: Int = 10_000
  ) {
    self.digits = digits
    self.tries = tries
    self.validity = validity
    self.sends = sends
    self.strangersSends = strangersSends
    self.sourceSends = sourceSends
    self.mostCodes = mostCodes
  }

  /// After this long no send counts any more.
  package var memory: Duration {
    max(sends.window, strangersSends.window, sourceSends.window)
  }
}

/// How often something may be sent.
package struct SendSchedule: Sendable {
  /// The wait after the first send, the second, …; the last holds for all that follow.
  package let waits: [Duration]
  /// Most sends in `window`.
  package let most: Int
  package let window: Duration

  /// 30 → 60 → 120 s, and at most 5 sends an hour.
  package static let standard = SendSchedule(
    waits: [.seconds(30), .seconds(60), .seconds(120)], most: 5, window: .seconds(3600))
  /// Two strangers' worth: more would be more codes to guess at.
  package static let strangers = SendSchedule(waits: [], most: 10, window: .seconds(3600))
  /// A household may share one.
  package static let source = SendSchedule(waits: [], most: 30, window: .seconds(3600))

  package init(waits: [Duration], most: Int, window: Duration) {
    self.waits = waits
    self.most = most
    self.window = window
  }

  /// How long until the next may be sent.
  /// - Parameter sent: when the sends within the window were.
  package func wait(after sent: [SteadyTime], at now: SteadyTime) -> Duration {
    let recent = sent.map { now.left(of: window, since: $0) }.filter { $0 > .zero }.sorted(by: >)
    guard let newest = recent.first else { return .zero }
    let step = waits.prefix(recent.count).last ?? .zero
    var wait = step - (window - newest)
    // The window has room again when the oldest of the newest `most` has left it.
    if recent.count >= most, most > 0 { wait = max(wait, recent[most - 1]) }
    return max(.zero, wait)
  }
}

/// What a send is counted at, and how many are allowed there.
package struct SendBudget: Sendable {
  package let key: SecretDigest
  package let schedule: SendSchedule

  package init(key: SecretDigest, schedule: SendSchedule) {
    self.key = key
    self.schedule = schedule
  }
}
