import Foundation

/// The identity of an account: 128 random bits in hexadecimal, never reused, not a secret.
package struct AccountID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  package let text: String

  /// Takes a stored identity.
  package init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }

  package var description: String { text }
}

/// A person's account, without credentials.
package struct Account: Hashable, Sendable, Identifiable {
  /// The identity, which stays when name and address change.
  package let id: AccountID
  package let name: DisplayName
  /// The login name (E1).
  package let email: EmailAddress
  /// The permissions of the person.
  package let role: AccountRole
  /// When the account was made, by the time of day.
  package let createdAt: Date
  /// The highest age rating that this person may watch, in years; nil for no limit.
  package let ageLimit: Int?
  /// The language of the page for this person; nil for the browser's.
  package let language: Language?

  package init(
    id: AccountID, name: DisplayName, email: EmailAddress, role: AccountRole, createdAt: Date,
    ageLimit: Int? = nil, language: Language? = nil
  ) {
    self.id = id
    self.name = name
    self.email = email
    self.role = role
    self.createdAt = createdAt
    self.ageLimit = ageLimit
    self.language = language
  }
}

/// The languages of the page, by their ISO 639-1 codes.
package enum Language: String, Sendable, CaseIterable {
  case english = "en"
  case ukrainian = "uk"
  case russian = "ru"
}

/// An account with its credentials, for stores and login only.
package struct AccountRecord: Sendable {
  package let account: Account
  /// The salted hash of the password, with its parameters.
  package let passwordHash: PasswordHash
  /// Whether a login needs a second factor.
  package let hasSecondFactor: Bool

  package init(account: Account, passwordHash: PasswordHash, hasSecondFactor: Bool = false) {
    self.account = account
    self.passwordHash = passwordHash
    self.hasSecondFactor = hasSecondFactor
  }
}

/// The role of an account or guest. The permissions of each are defined where commands and routes are
/// known. Unknown words are refused.
package enum AccountRole: String, Sendable, Codable, CaseIterable {
  /// Everything, including other people's accounts.
  case owner
  /// Everything except other people's accounts.
  case member
  /// The permissions of a guest pass. No account has this role.
  case guest
}
