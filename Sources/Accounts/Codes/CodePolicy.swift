/// The numbers of D8.
package struct CodePolicy: Sendable {
  /// Digits of a code.
  package let digits: Int
  /// Wrong ones until it is void.
  package let tries: Int
  /// How long it is good.
  package let validity: Duration
  /// When one asker may have the next sent to one place: the waits for one purpose, the number in the
  /// window for all.
  package let sends: SendSchedule
  /// What all strangers together may have sent to one place; each has a share of it.
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
  /// In shares of 5, 4, 2 and 1, where somebody asks from many sources (`wait(after:of:at:)`). More
  /// would be more codes to guess at, and more that a mailbox is filled with.
  package static let strangers = SendSchedule(waits: [], most: 12, window: .seconds(3600))
  /// A household may share one.
  package static let source = SendSchedule(waits: [], most: 30, window: .seconds(3600))

  package init(waits: [Duration], most: Int, window: Duration) {
    self.waits = waits
    self.most = most
    self.window = window
  }

  /// As many sends in the window, however soon after each other.
  var withoutWaits: SendSchedule { SendSchedule(waits: [], most: most, window: window) }

  /// How long until the next may be sent.
  /// - Parameter sent: when the sends within the window were.
  package func wait(after sent: [SteadyTime], at now: SteadyTime) -> Duration {
    let recent = rests(of: sent, at: now).filter { $0 > .zero }.sorted(by: >)
    guard let newest = recent.first else { return .zero }
    let step = waits.prefix(recent.count).last ?? .zero
    var wait = step - (window - newest)
    // The window has room again when the oldest of the newest `most` has left it.
    if recent.count >= most, most > 0 { wait = max(wait, recent[most - 1]) }
    return max(.zero, wait)
  }

  /// How long until one of several who share this may have the next sent: as long as they have had
  /// less than half of what the others leave. So the first has half, who comes then half of the rest,
  /// and it takes many to use all of it up; together they never have more than `most`.
  /// - Parameters:
  ///   - own: when their own sends were.
  ///   - all: when the sends of all were, their own among them.
  package func wait(
    after own: [SteadyTime], of all: [SteadyTime], at now: SteadyTime
  ) -> Duration {
    let (own, all) = (rests(of: own, at: now), rests(of: all, at: now))
    // Room comes only when a send leaves the window.
    return ([.zero] + all.sorted()).first { moment in
      let mine = own.count { $0 > moment }
      let others = all.count { $0 > moment } - mine
      return mine < (most - others + 1) / 2
    } ?? window
  }

  /// How long each send stays in the window.
  private func rests(of sent: [SteadyTime], at now: SteadyTime) -> [Duration] {
    sent.map { now.left(of: window, since: $0) }
  }
}

/// What a send is counted at, and how many are allowed there.
package struct SendBudget: Sendable {
  package let key: SecretDigest
  let schedule: SendSchedule
  /// At what the sends of the one who asks are counted, where the budget is shared by several.
  let share: SecretDigest?

  init(key: SecretDigest, schedule: SendSchedule, share: SecretDigest? = nil) {
    self.key = key
    self.schedule = schedule
    self.share = share
  }

  /// How long until the next may be sent.
  /// - Parameter sends: when those were that are counted at a key.
  package func wait(
    at now: SteadyTime, _ sends: (SecretDigest) throws -> [SteadyTime]
  ) rethrows -> Duration {
    let all = try sends(key)
    guard let share else { return schedule.wait(after: all, at: now) }
    return schedule.wait(after: try sends(share), of: all, at: now)
  }
}
