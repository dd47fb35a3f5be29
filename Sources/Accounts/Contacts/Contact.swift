import Foundation
import Validation

/// The verified e-mail address and phone number of an account.
public struct Contact: Hashable, Sendable {
  /// When the account's current e-mail address was verified; nil when it was not.
  public let emailVerifiedAt: Date?
  /// The verified number; an unverified one is not stored.
  public let phone: PhoneNumber?
  /// When it was verified; nil without a number.
  public let phoneVerifiedAt: Date?

  public init(emailVerifiedAt: Date?, phone: PhoneNumber?, phoneVerifiedAt: Date?) {
    self.emailVerifiedAt = emailVerifiedAt
    self.phone = phone
    self.phoneVerifiedAt = phoneVerifiedAt
  }
}

/// Reads verified addresses and numbers; `CodeStore.redeem` writes them.
public protocol ContactStore: Sendable {
  /// The verified address and number of an account; both nil for an unknown account.
  func contact(of account: AccountID) async throws(AccountError) -> Contact

  /// The account with the hash of its password; nil for an unknown account.
  func record(of account: AccountID) async throws(AccountError) -> AccountRecord?

  /// The account that has verified `destination`; nil if there is none.
  func account(reachedAt destination: CodeDestination) async throws(AccountError) -> Account?
}

/// A phone number in its international form, as `PhoneSyntax` says: `+4917012345678`.
public struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
  /// `+` and 7 to 15 digits.
  public let text: String

  /// Checks `typed`, which may have the separators that `PhoneSyntax` allows.
  /// - Throws: `empty` or `malformed`, with the field `phone`.
  public init(_ typed: String) throws(AccountError) {
    if typed.allSatisfy(\.isWhitespace) { throw .empty(.phone) }
    guard let number = PhoneSyntax.canonical(typed) else { throw .malformedPhone }
    text = number
  }

  /// Takes a stored number, which was checked before.
  public init(stored text: String) {
    self.text = text
  }

  public var description: String { text }
}

extension AccountError {
  /// The text is not a phone number by `PhoneSyntax`.
  public static let malformedPhone = AccountError(
    .malformed, field: .phone, message: "This is not a phone number in its international form.",
    hint: "Write it like +49 30 1234567, with the country code.")
}

extension AccountError {
  /// The address or number belongs to another account. The error is shown only to a person who has
  /// verified the address, or holds an invitation.
  /// - Parameter field: The field that holds the address or number.
  public static func contactTaken(_ field: Field?) -> AccountError {
    AccountError(
      .taken, field: field,
      message: "This address or number belongs to another account of this theater.",
      hint: "Take another, or ask the other person to give it up.")
  }
}
