/// Sessions that something hangs on for longer than a request: a stream of events.
extension AccountService {
  /// Whether `token` still opens what it opened for `principal`. Asking is no use of the session.
  package func isOpen(_ token: String, for principal: SessionPrincipal) async -> Bool {
    await end(of: token, for: principal) != nil
  }

  /// Returns as soon as `token` no longer opens what it opened for `principal`: the session was
  /// ended, by whomever and for whatever reason, or expired by either clock, its token was replaced,
  /// or the person's role is another. Returns too when the task is cancelled.
  package func waitForEnd(of token: String, for principal: SessionPrincipal) async {
    while !Task.isCancelled {
      // Before the look: what happens after it is told.
      let news = events.subscribe(losing: .nothing)
      guard let end = await self.end(of: token, for: principal) else { return }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for await event in news where event.concerns(principal) { return } }
        // A session that is used meanwhile ends later: the next look tells when.
        group.addTask { try? await clock.sleep(until: end.day) }
        group.addTask { try? await steady.sleep(until: end.steady) }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// When it is over; nil where it is, and where the store cannot tell.
  private func end(of token: String, for principal: SessionPrincipal) async -> SessionEnd? {
    guard let (now, end) = try? await sessions.look(token), now.role == principal.role else {
      return nil
    }
    return end
  }
}
