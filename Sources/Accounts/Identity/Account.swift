import Foundation

/// The identity of an account: 128 random bits in hexadecimal, never reused, not a secret.
public struct AccountID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  public let text: String

  /// Takes a stored identity.
  public init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }

  public var description: String { text }
}

/// A person's account, without credentials.
public struct Account: Hashable, Sendable, Identifiable {
  /// The identity, which stays when name and address change.
  public let id: AccountID
  public let name: DisplayName
  /// The login name (E1).
  public let email: EmailAddress
  /// The permissions of the person.
  public let role: AccountRole
  /// When the account was made, by the time of day.
  public let createdAt: Date
  /// The highest age rating that this person may watch, in years; nil for no limit.
  public let ageLimit: Int?
  /// The language of the page for this person; nil for the browser's.
  public let language: Language?

  public init(
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
public enum Language: String, Sendable, CaseIterable {
  case english = "en"
  case ukrainian = "uk"
  case russian = "ru"
}

/// An account with its credentials, for stores and login only.
public struct AccountRecord: Sendable {
  public let account: Account
  /// The salted hash of the password, with its parameters.
  public let passwordHash: PasswordHash
  /// Whether a login needs a second factor.
  public let hasSecondFactor: Bool

  public init(account: Account, passwordHash: PasswordHash, hasSecondFactor: Bool = false) {
    self.account = account
    self.passwordHash = passwordHash
    self.hasSecondFactor = hasSecondFactor
  }
}

/// The role of an account or guest. The permissions of each are defined where commands and routes are
/// known. Unknown words are refused.
public enum AccountRole: String, Sendable, Codable, CaseIterable {
  /// Everything, including other people's accounts.
  case owner
  /// Everything except other people's accounts.
  case member
  /// The permissions of a guest pass. No account has this role.
  case guest
}
