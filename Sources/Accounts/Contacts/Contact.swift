import Foundation
import Validation

/// The verified e-mail address and phone number of an account.
package struct Contact: Hashable, Sendable {
  /// When the account's current e-mail address was verified; nil when it was not.
  package let emailVerifiedAt: Date?
  /// The verified number; an unverified one is not stored.
  package let phone: PhoneNumber?
  /// When it was verified; nil without a number.
  package let phoneVerifiedAt: Date?

  package init(emailVerifiedAt: Date?, phone: PhoneNumber?, phoneVerifiedAt: Date?) {
    self.emailVerifiedAt = emailVerifiedAt
    self.phone = phone
    self.phoneVerifiedAt = phoneVerifiedAt
  }
}

/// Reads verified addresses and numbers; `CodeStore.redeem` writes them.
package protocol ContactStore: Sendable {
  /// The verified address and number of an account; both nil for an unknown account.
  func contact(of account: AccountID) async throws(AccountError) -> Contact

  /// The account with the hash of its password; nil for an unknown account.
  func record(of account: AccountID) async throws(AccountError) -> AccountRecord?

  /// The account that has verified `destination`; nil if there is none.
  func account(reachedAt destination: CodeDestination) async throws(AccountError) -> Account?
}

/// A phone number in its international form, as `PhoneSyntax` says: `+4917012345678`.
package struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
  /// `+` and 7 to 15 digits.
  package let text: String

  /// Checks `typed`, which may have the separators that `PhoneSyntax` allows.
  /// - Throws: `empty` or `malformed`, with the field `phone`.
  package init(_ typed: String) throws(AccountError) {
    if typed.allSatisfy(\.isWhitespace) { throw .empty(.phone) }
    guard let number = PhoneSyntax.canonical(typed) else { throw .malformedPhone }
    text = number
  }

  /// Takes a stored number, which was checked before.
  package init(stored text: String) {
    self.text = text
  }

  package var description: String { text }
}

extension AccountError {
  /// The text is not a phone number by `PhoneSyntax`.
  package static let malformedPhone = AccountError(
    .malformed, field: .phone, message: "This is not a phone number in its international form.",
    hint: "Write it like +49 30 1234567, with the country code.")
}

extension AccountError {
  /// The address or number belongs to another account. The error is shown only to a person who has
  /// verified the address, or holds an invitation.
  /// - Parameter field: The field that holds the address or number.
  package static func contactTaken(_ field: Field?) -> AccountError {
    AccountError(
      .taken, field: field,
      message: "This address or number belongs to another account of this theater.",
      hint: "Take another, or ask the other person to give it up.")
  }
}
