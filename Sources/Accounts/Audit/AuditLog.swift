import Foundation
import Synchronization

/// Stores the audit log.
public protocol AuditStore: Sendable {
  /// Appends entries, all or none. Counts repeats of a refusal in one entry, and deletes the oldest
  /// entries beyond its bounds.
  func append(_ entries: [AuditEntry]) async throws(AccountError)

  /// The newest `limit` entries.
  /// - Parameters:
  ///   - since: The earliest date.
  ///   - place: The `before` of another page; nil for the newest.
  func page(
    newest limit: Int, since: Date?, before place: Int64?
  ) async throws(AccountError) -> AuditPage
}

/// Records who did what, from where, when, with which outcome.
///
/// A failed audit write never fails the audited action. Entries that could not be stored are counted,
/// and the next stored entry is preceded by their number.
public final class AuditLog: Sendable {
  private let store: any AuditStore
  private let clock: WallClock
  private let lost = Mutex(0)

  init(store: any AuditStore, clock: WallClock) {
    self.store = store
    self.clock = clock
  }

  /// Stores an entry before it returns.
  /// - Parameters:
  ///   - actor: nil for strangers and the controller itself.
  ///   - subject: The object of the action. Never a secret: no code, no token.
  public func record(
    _ action: AuditAction, by actor: AuditActor?, about subject: String? = nil,
    outcome: AuditOutcome = .done, origin: Origin = .current
  ) async {
    let now = clock.now()
    let missing = lost.exchange(with: 0)
    var entries: [AuditEntry] = []
    if missing > 0 {
      entries.append(
        AuditEntry(
          at: now, action: .recordsLost, outcome: .done, actor: nil, subject: "\(missing)",
          origin: .controller))
    }
    entries.append(
      AuditEntry(
        at: now, action: action, outcome: outcome, actor: actor, subject: subject, origin: origin))
    do throws(AccountError) {
      try await store.append(entries)
    } catch {
      lost.withLock { $0 += missing + 1 }
    }
  }

  /// Performs an action and records its outcome; rethrows its error.
  public func recording<Value>(
    _ action: AuditAction, by actor: AuditActor?, about subject: String? = nil,
    _ body: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    do throws(AccountError) {
      let value = try await body()
      await record(action, by: actor, about: subject)
      return value
    } catch {
      await record(action, by: actor, about: subject, outcome: .refused(error))
      throw error
    }
  }

  /// Performs an action that needs a proof, and records a refusal; rethrows its error.
  /// - Parameter actor: nil for strangers.
  func recordingRefusal<Value>(
    _ action: AuditAction, by actor: AuditActor?, _ body: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    do throws(AccountError) {
      return try await body()
    } catch {
      await recordRefusal(error, action, by: actor)
      throw error
    }
  }

  /// Records that a proof was refused.
  func recordRefusal(
    _ error: AccountError, _ action: AuditAction, by actor: AuditActor?,
    about subject: String? = nil
  ) async {
    // Not recorded: malformed input (no attempt), a request for a second factor (no refusal), attempts
    // that have to wait (recorded before), and requests that were not checked because the queue is
    // full or the client disconnected.
    let harmless: Set<AccountError.Code> = [
      .empty, .malformed, .tooShort, .tooLong, .unsuitable, .secondFactorNeeded, .tooManyTries,
      .busy, .cancelled,
    ]
    guard !harmless.contains(error.code) else { return }
    await record(action, by: actor, about: subject, outcome: .refused(error))
  }

  /// The newest `limit` entries, in order of time.
  /// - Throws: `storageFailed`.
  public func entries(newest limit: Int) async throws(AccountError) -> [AuditEntry] {
    try await page(newest: limit).entries
  }

  /// The newest `limit` entries.
  /// - Parameters:
  ///   - since: The earliest date.
  ///   - place: The `before` of another page; nil for the newest.
  /// - Throws: `storageFailed`.
  public func page(
    newest limit: Int, since: Date? = nil, before place: Int64? = nil
  ) async throws(AccountError) -> AuditPage {
    try await store.page(newest: limit, since: since, before: place)
  }
}

extension Mutex where Value == Int {
  /// Replaces the number and returns the previous one.
  fileprivate borrowing func exchange(with new: Int) -> Int {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}
