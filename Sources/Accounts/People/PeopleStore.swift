/// What owners change of other people's accounts. That an owner is left is decided by the store, in
/// one step with the change.
package protocol PeopleStore: Sendable {
  /// Everybody with an account, in the order in which they came.
  func people() async throws(AccountError) -> [Account]

  /// Changes what an account may do. An account that is no owner any more loses the invitations and
  /// guest passes that it made.
  /// - Returns: the guests' sessions that ended with it.
  /// - Throws: `notFound`; `lastOwner`.
  func setRole(_ role: AccountRole, of account: AccountID) async throws(AccountError) -> [Session]

  /// Changes the oldest age rating that an account may watch, in years; nil for no limit.
  /// - Throws: `notFound`.
  func setAgeLimit(_ years: Int?, of account: AccountID) async throws(AccountError)

  /// Changes how a person is called.
  /// - Throws: `notFound`.
  func setName(_ name: DisplayName, of account: AccountID) async throws(AccountError)

  /// Forgets an account, its sessions, its invitations and guest passes with their sessions, and
  /// what was saved for it.
  /// - Returns: the sessions that ended with it.
  /// - Throws: `notFound`; `lastOwner`.
  func removeAccount(_ account: AccountID) async throws(AccountError) -> [Session]
}
