import Foundation

/// The identity of an account: 128 random bits in hexadecimal, never reused, not a secret.
package struct AccountID: Hashable, Sendable, Codable, CustomStringConvertible {
  package let text: String

  /// Takes an identity that a store kept.
  package init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }

  package var description: String { text }
}

/// A person who may enter, without anything that proves it.
package struct Account: Hashable, Sendable, Identifiable {
  package let id: AccountID
  /// How the person wants to be called.
  package let name: DisplayName
  /// What the person logs in with (E1).
  package let email: EmailAddress
  package let role: AccountRole
  package let createdAt: Date
  /// The oldest age rating that this person may watch, in years; nil for no limit.
  package let ageLimit: Int?

  package init(
    id: AccountID, name: DisplayName, email: EmailAddress, role: AccountRole, createdAt: Date,
    ageLimit: Int? = nil
  ) {
    self.id = id
    self.name = name
    self.email = email
    self.role = role
    self.createdAt = createdAt
    self.ageLimit = ageLimit
  }
}

/// An account together with what it is entered with; travels between stores and login only.
package struct AccountRecord: Sendable {
  package let account: Account
  package let passwordHash: PasswordHash
  /// Whether a second factor is asked for.
  package let hasSecondFactor: Bool

  package init(account: Account, passwordHash: PasswordHash, hasSecondFactor: Bool = false) {
    self.account = account
    self.passwordHash = passwordHash
    self.hasSecondFactor = hasSecondFactor
  }
}
