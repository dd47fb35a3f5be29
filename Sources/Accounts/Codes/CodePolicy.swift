/// The limits of one-time codes (D8).
public struct CodePolicy: Sendable {
  /// The number of digits.
  public let digits: Int
  /// Wrong attempts until a code is void.
  public let tries: Int
  /// The validity of a code.
  public let validity: Duration
  /// The sends of one requester to one address. The waits apply to each purpose by itself; the number counts the
  /// sends for all purposes.
  public let sends: SendSchedule
  /// The sends of all strangers together to one address; each has a share.
  public let strangersSends: SendSchedule
  /// The sends of one source of strangers to all addresses together.
  public let sourceSends: SendSchedule
  /// The most pending codes before strangers get `busy`: each takes a row while it is valid. Only
  /// hundreds of sources together reach it.
  public let mostCodes: Int

  /// 6 digits, 5 tries, 10 minutes.
  public static let standard = CodePolicy()

  public init(
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

  /// The age at which a send no longer counts.
  public var memory: Duration {
    max(sends.window, strangersSends.window, sourceSends.window)
  }
}

/// Limits how often messages are sent.
public struct SendSchedule: Sendable {
  /// The wait after the first send, the second, …; the last holds for all that follow.
  public let waits: [Duration]
  /// The most sends in `window`.
  public let most: Int
  /// The time in which `most` sends are counted.
  public let window: Duration

  /// 30 → 60 → 120 s, and at most 5 sends an hour.
  public static let standard = SendSchedule(
    waits: [.seconds(30), .seconds(60), .seconds(120)], most: 5, window: .seconds(3600))
  /// Shared by all strangers: beside the limit of `standard`, the first four get 5, 4, 2 and 1 sends
  /// (`wait(after:of:at:)`). More sends would mean more codes
  /// to guess and more messages in a mailbox.
  public static let strangers = SendSchedule(waits: [], most: 12, window: .seconds(3600))
  /// For one source, which a household may share.
  public static let source = SendSchedule(waits: [], most: 30, window: .seconds(3600))

  public init(waits: [Duration], most: Int, window: Duration) {
    self.waits = waits
    self.most = most
    self.window = window
  }

  /// The same number of sends, without waits between them.
  var withoutWaits: SendSchedule { SendSchedule(waits: [], most: most, window: window) }

  /// The time until the next send is allowed.
  /// - Parameter sent: The times of the earlier sends.
  public func wait(after sent: [SteadyTime], at now: SteadyTime) -> Duration {
    let recent = remainingTimes(of: sent, at: now).filter { $0 > .zero }.sorted(by: >)
    guard let newest = recent.first else { return .zero }
    let step = waits.prefix(recent.count).last ?? .zero
    var wait = step - (window - newest)
    // The window has room again when the oldest of the newest `most` has left it.
    if recent.count >= most, most > 0 { wait = max(wait, recent[most - 1]) }
    return max(.zero, wait)
  }

  /// The time until one of several requesters that share this schedule may send again. A requester may
  /// use half of the sends that the others leave: the first gets half, the second half of the rest, so
  /// that it takes many to use all; together they never exceed `most`.
  /// - Parameters:
  ///   - own: The times of this requester's sends.
  ///   - all: The times of all sends, including its own.
  public func wait(
    after own: [SteadyTime], of all: [SteadyTime], at now: SteadyTime
  ) -> Duration {
    let (own, all) = (remainingTimes(of: own, at: now), remainingTimes(of: all, at: now))
    // Room comes only when a send leaves the window.
    return ([.zero] + all.sorted()).first { moment in
      let mine = own.count { $0 > moment }
      let others = all.count { $0 > moment } - mine
      return mine < (most - others + 1) / 2
    } ?? window
  }

  /// The time that each send stays in the window.
  private func remainingTimes(of sent: [SteadyTime], at now: SteadyTime) -> [Duration] {
    sent.map { now.remaining(of: window, since: $0) }
  }
}

/// The key under which sends are counted, and their limit.
public struct SendBudget: Sendable {
  /// A keyed digest of an address with its requester, or of a source: the database does not reveal them.
  public let key: SecretDigest
  let schedule: SendSchedule
  /// The key of the requester's own sends, when several requesters share the budget.
  let share: SecretDigest?

  init(key: SecretDigest, schedule: SendSchedule, share: SecretDigest? = nil) {
    self.key = key
    self.schedule = schedule
    self.share = share
  }

  /// The time until the next send is allowed.
  /// - Parameter sends: Returns the times of the sends under a key.
  public func wait(
    at now: SteadyTime, _ sends: (SecretDigest) throws -> [SteadyTime]
  ) rethrows -> Duration {
    let all = try sends(key)
    guard let share else { return schedule.wait(after: all, at: now) }
    return schedule.wait(after: try sends(share), of: all, at: now)
  }
}
