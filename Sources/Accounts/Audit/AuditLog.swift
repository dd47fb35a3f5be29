import Foundation
import Synchronization

/// Where the audit log is kept.
package protocol AuditStore: Sendable {
  /// Keeps entries in their order, all or none. Repeats of a refusal are counted in one entry, and
  /// entries beyond the store's bounds are dropped.
  func append(_ entries: [AuditEntry]) async throws(AccountError)

  /// The newest `limit` entries.
  /// - Parameters:
  ///   - since: only those that happened then or later.
  ///   - place: only those before this place, which an earlier page gave; nil for all.
  func page(
    newest limit: Int, since: Date?, before place: Int64?
  ) async throws(AccountError) -> AuditPage
}

/// Writes down who did what, from where, when, and how it ended.
///
/// Recording never fails what it records: with the disk full people still log in and out, the
/// entries that could not be kept are counted, and the count is the next entry that can be.
package final class AuditLog: Sendable {
  private let store: any AuditStore
  private let clock: WallClock
  private let lost = Mutex(0)

  init(store: any AuditStore, clock: WallClock) {
    self.store = store
    self.clock = clock
  }

  /// Writes an entry down before it returns.
  /// - Parameters:
  ///   - actor: who did it; nil for strangers and the controller itself.
  ///   - subject: whom or what it concerns beside the actor. Never a secret: no code, no token.
  package func record(
    _ deed: AuditDeed, by actor: AuditActor?, about subject: String? = nil,
    outcome: AuditOutcome = .done, origin: Origin = .current
  ) async {
    let now = clock.now()
    let missing = lost.exchange(with: 0)
    var entries: [AuditEntry] = []
    if missing > 0 {
      entries.append(
        AuditEntry(
          at: now, deed: .recordsLost, outcome: .done, actor: nil, subject: "\(missing)",
          origin: .controller))
    }
    entries.append(
      AuditEntry(
        at: now, deed: deed, outcome: outcome, actor: actor, subject: subject, origin: origin))
    do throws(AccountError) {
      try await store.append(entries)
    } catch {
      lost.withLock { $0 += missing + 1 }
    }
  }

  /// Does something and writes down how it ended; a refusal goes on to the caller.
  package func recording<Value>(
    _ deed: AuditDeed, by actor: AuditActor?, about subject: String? = nil,
    _ body: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    do throws(AccountError) {
      let value = try await body()
      await record(deed, by: actor, about: subject)
      return value
    } catch {
      await record(deed, by: actor, about: subject, outcome: .refused(error))
      throw error
    }
  }

  /// Does something that asks for a proof; where it is refused, that is written down, and goes on to
  /// the caller.
  /// - Parameter actor: nil for strangers.
  func proving<Value>(
    _ deed: AuditDeed, by actor: AuditActor?, _ body: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    do throws(AccountError) {
      return try await body()
    } catch {
      await refused(error, deed, by: actor)
      throw error
    }
  }

  /// Writes down that a proof was refused.
  func refused(
    _ error: AccountError, _ deed: AuditDeed, by actor: AuditActor?, about subject: String? = nil
  ) async {
    // Not recorded: input that cannot be right (no attempt), a request for a second factor (no
    // refusal), tries that have to wait (recorded before), and requests that were not judged
    // because too many log in or the client broke off.
    let harmless: Set<AccountError.Code> = [
      .empty, .malformed, .tooShort, .tooLong, .unsuitable, .secondFactorNeeded, .tooManyTries,
      .busy, .cancelled,
    ]
    guard !harmless.contains(error.code) else { return }
    await record(deed, by: actor, about: subject, outcome: .refused(error))
  }

  /// The newest `limit` entries, in the order in which they came.
  /// - Throws: `storageFailed`.
  package func entries(newest limit: Int) async throws(AccountError) -> [AuditEntry] {
    try await page(newest: limit).entries
  }

  /// The newest `limit` entries.
  /// - Parameters:
  ///   - since: only those that happened then or later.
  ///   - place: only those before this place, which an earlier page gave; nil for all.
  /// - Throws: `storageFailed`.
  package func page(
    newest limit: Int, since: Date? = nil, before place: Int64? = nil
  ) async throws(AccountError) -> AuditPage {
    try await store.page(newest: limit, since: since, before: place)
  }
}

extension Mutex where Value == Int {
  /// Puts a number in the place of another and gives that back.
  fileprivate borrowing func exchange(with new: Int) -> Int {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}
