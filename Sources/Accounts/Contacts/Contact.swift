import Foundation

/// How an account can be reached, and what of it is proven.
package struct Contact: Hashable, Sendable {
  /// When the account's present address was verified; nil where it was not.
  package let emailVerifiedAt: Date?
  /// The verified number; an unverified one is not kept.
  package let phone: PhoneNumber?
  package let phoneVerifiedAt: Date?

  package init(emailVerifiedAt: Date?, phone: PhoneNumber?, phoneVerifiedAt: Date?) {
    self.emailVerifiedAt = emailVerifiedAt
    self.phone = phone
    self.phoneVerifiedAt = phoneVerifiedAt
  }
}

/// Where it is kept what of an account's addresses is proven. `CodeStore.redeem` writes it.
package protocol ContactStore: Sendable {
  /// What is proven of an account; of an unknown one nothing is.
  func contact(of account: AccountID) async throws(AccountError) -> Contact

  /// The account as it is now, with its hash.
  func record(of account: AccountID) async throws(AccountError) -> AccountRecord?

  /// The account that has proven to own `destination`.
  func account(reachedAt destination: CodeDestination) async throws(AccountError) -> Account?
}
