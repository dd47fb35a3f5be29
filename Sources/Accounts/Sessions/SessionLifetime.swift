import Foundation

/// The lifetime of sessions, in seconds.
public struct SessionLifetime: Sendable {
  /// A session ends after this time without use.
  public let idle: TimeInterval
  /// A session ends after this time, used or not.
  public let absolute: TimeInterval
  /// A guest's session ends after this, used or not, and with the pass in any case.
  public let guest: TimeInterval
  /// The session of a wall tablet ends after this time without use; an open page is use.
  public let wallTablet: TimeInterval
  /// The last use is written at most this often.
  public let seenInterval: TimeInterval

  /// 7 days idle, 30 days at most, a day for guests, 90 days idle for wall tablets, last use written once a
  /// minute.
  public static let standard = SessionLifetime(
    idle: 7 * 86_400, absolute: 30 * 86_400, guest: 86_400, wallTablet: 90 * 86_400,
    seenInterval: 60)

  /// How far in the future a session of another boot may have been opened.
  private static let tolerance: TimeInterval = 86_400

  /// Lifetimes in seconds.
  public init(
    idle: TimeInterval, absolute: TimeInterval, guest: TimeInterval, wallTablet: TimeInterval,
    seenInterval: TimeInterval
  ) {
    self.idle = idle
    self.absolute = absolute
    self.guest = guest
    self.wallTablet = wallTablet
    self.seenInterval = seenInterval
  }

  /// When `session` ends unless it is used before.
  func end(of session: Session) -> Date {
    switch session.holder {
    case .account:
      min(
        session.openedAt.addingTimeInterval(absolute), session.lastSeenAt.addingTimeInterval(idle))
    case .guest(let pass) where pass.isWallTablet:
      min(session.lastSeenAt.addingTimeInterval(wallTablet), pass.expires)
    case .guest(let pass): min(session.openedAt.addingTimeInterval(guest), pass.expires)
    }
  }

  /// When `session` ends at the latest, by the steady clock.
  func steadyEnd(of session: Session) -> SteadyTime {
    SteadyTime(
      boot: session.opened.boot,
      milliseconds: session.opened.milliseconds + Int64(maximumAge(of: session) * 1000))
  }

  /// Whether `session` is over by the time of day or, in case that was set back, by the steady clock.
  /// After a restart of the machine only the time of day counts; a session that was opened more than a
  /// day in the future is refused until the clock is right again, as its age is unknown.
  func isOver(_ session: Session, at now: Moment) -> Bool {
    if end(of: session) <= now.date { return true }
    guard let age = now.steady.age(of: session.opened) else {
      return session.openedAt.timeIntervalSince(now.date) > Self.tolerance
    }
    return age >= .seconds(maximumAge(of: session))
  }

  /// Sessions that ended before `now`, for the store to drop.
  func cutoff(at now: Date) -> SessionCutoff {
    SessionCutoff(
      openedBefore: now.addingTimeInterval(-absolute), seenBefore: now.addingTimeInterval(-idle),
      guestsBefore: now.addingTimeInterval(-guest),
      wallTabletsBefore: now.addingTimeInterval(-wallTablet))
  }

  private func maximumAge(of session: Session) -> TimeInterval {
    switch session.holder {
    case .account: absolute
    case .guest(let pass) where pass.isWallTablet:
      pass.expires.timeIntervalSince(session.openedAt)
    case .guest: guest
    }
  }
}

/// Sessions that were opened or last seen at or before these times are over.
public struct SessionCutoff: Sendable {
  /// For the sessions of people, when they were opened.
  public let openedBefore: Date
  /// For the sessions of people, when they were last used.
  public let seenBefore: Date
  /// For the sessions of guests, when they were opened.
  public let guestsBefore: Date
  /// For the sessions of wall tablets, when they were last used.
  public let wallTabletsBefore: Date
}

/// The end of a session that is not used again: when either clock reaches it.
struct SessionEnd: Sendable {
  let date: Date
  let steady: SteadyTime
}

/// The current time by the wall clock and by the steady clock.
struct Moment: Sendable {
  let date: Date
  let steady: SteadyTime
}
