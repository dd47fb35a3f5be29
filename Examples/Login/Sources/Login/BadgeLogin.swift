import Accounts

/// A login method of one's own: a badge at the door. Only the steps in which it differs are written: `Login` limits,
/// opens the session and tells the program.
struct BadgeLogin: LoginMethod {
  let name = "badge"
  let accounts: any AccountStore
  private let holders = ["badge-7": "ann@example.org"]

  init(accounts: any AccountStore) { self.accounts = accounts }

  func claim(_ badge: String) -> EmailAddress? {
    holders[badge].flatMap { try? EmailAddress($0) }
  }

  func authenticate(_ badge: String) async throws(AccountError) -> AccountRecord {
    guard let email = holders[badge],
      let record = try await accounts.account(withEmail: try EmailAddress(email))
    else { throw .wrongCredentials }
    return record
  }
}
