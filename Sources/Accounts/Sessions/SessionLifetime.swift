import Foundation

/// How long sessions live, in seconds.
package struct SessionLifetime: Sendable {
  /// Unused for this long, a session ends.
  package let idle: TimeInterval
  /// However much it is used, a session ends after this.
  package let absolute: TimeInterval
  /// A guest's session ends after this, used or not, and with the pass in any case.
  package let guest: TimeInterval
  /// The last use is written at most this often.
  package let seenInterval: TimeInterval

  /// 7 days idle, 30 days at most, a day for guests, last use written once a minute.
  package static let standard = SessionLifetime(
    idle: 7 * 86_400, absolute: 30 * 86_400, guest: 86_400, seenInterval: 60)

  /// How far ahead of the time of day a session may have been opened in another boot.
  private static let tolerance: TimeInterval = 86_400

  package init(
    idle: TimeInterval, absolute: TimeInterval, guest: TimeInterval, seenInterval: TimeInterval
  ) {
    self.idle = idle
    self.absolute = absolute
    self.guest = guest
    self.seenInterval = seenInterval
  }

  /// When `session` ends unless it is used before.
  func end(of session: Session) -> Date {
    switch session.holder {
    case .account:
      min(
        session.openedAt.addingTimeInterval(absolute), session.lastSeenAt.addingTimeInterval(idle))
    case .guest(let pass): min(session.openedAt.addingTimeInterval(guest), pass.expires)
    }
  }

  /// When `session` ends at the latest, by the steady clock.
  func steadyEnd(of session: Session) -> SteadyTime {
    SteadyTime(
      boot: session.opened.boot,
      milliseconds: session.opened.milliseconds + Int64(most(session) * 1000))
  }

  /// Whether `session` is over: by the time of day, or, where that was set back, by the steady
  /// clock. The time of day alone measures across a restart of the machine; a session that was
  /// opened more than a day ahead of it is then refused until the clock is right again, since
  /// nobody can know how old it is.
  func isOver(_ session: Session, at now: Moment) -> Bool {
    if end(of: session) <= now.day { return true }
    guard let age = now.steady.age(of: session.opened) else {
      return session.openedAt.timeIntervalSince(now.day) > Self.tolerance
    }
    return age >= .seconds(most(session))
  }

  /// Sessions that ended before `now`, for the store to drop.
  func cutoff(at now: Date) -> SessionCutoff {
    SessionCutoff(
      openedBefore: now.addingTimeInterval(-absolute), seenBefore: now.addingTimeInterval(-idle),
      guestsBefore: now.addingTimeInterval(-guest))
  }

  private func most(_ session: Session) -> TimeInterval {
    switch session.holder {
    case .account: absolute
    case .guest: guest
    }
  }
}

/// Sessions that were opened or last seen at or before these times are over.
package struct SessionCutoff: Sendable {
  package let openedBefore: Date
  package let seenBefore: Date
  /// For the sessions of guests, when they were opened.
  package let guestsBefore: Date
}

/// When a session that nobody uses meanwhile is over: as soon as either clock says so.
struct SessionEnd: Sendable {
  let day: Date
  let steady: SteadyTime
}

/// Now, by the clock that is shown and by the one that nobody can set.
struct Moment: Sendable {
  let day: Date
  let steady: SteadyTime
}
