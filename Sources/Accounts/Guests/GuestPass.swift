import Foundation

/// What somebody without an account may do for a while, as a store keeps it under the digest of its
/// code.
package struct GuestPass: Hashable, Sendable, Identifiable {
  /// Shown and logged; stands for the guest where a person with an account has theirs.
  package let id: AccountID
  /// How the guest is called in lists.
  package let name: DisplayName
  /// The activities of `devices.json` that the guest may begin, steer and end, sorted.
  package let activities: [String]
  /// The loudest volume that the guest may set, 0 to 100 %.
  package let volumeLimit: Int
  /// The oldest age rating that the guest may watch, in years; nil for no limit.
  package let ageLimit: Int?
  /// The owner who gave it.
  package let madeBy: AccountID
  package let madeAt: Date
  /// No session of the pass lives beyond.
  package let expires: Date

  package init(
    id: AccountID, name: DisplayName, activities: [String], volumeLimit: Int, ageLimit: Int?,
    madeBy: AccountID, madeAt: Date, expires: Date
  ) {
    self.id = id
    self.name = name
    self.activities = activities
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
    self.madeBy = madeBy
    self.madeAt = madeAt
    self.expires = expires
  }
}

/// A pass in the one moment in which its code is known.
package struct IssuedGuestPass: Sendable {
  package let code: EntryCode
  package let pass: GuestPass
}

/// Where guest passes are kept, under the digests of their codes.
package protocol GuestPassStore: Sendable {
  /// Keeps a pass, and drops those that expired at or before its making.
  /// - Throws: `forbidden` where its maker is no owner any more.
  func insert(_ pass: GuestPass, digest: SecretDigest) async throws(AccountError)

  /// The pass with this digest; nil where it is unknown or revoked.
  func guestPass(digest: SecretDigest) async throws(AccountError) -> GuestPass?

  /// Every pass, the newest first.
  func guestPasses() async throws(AccountError) -> [GuestPass]

  /// Forgets a pass, with its sessions and what was saved for its guests.
  /// - Returns: the sessions that ended with it.
  /// - Throws: `notFound`.
  func deleteGuestPass(_ id: AccountID) async throws(AccountError) -> [Session]
}
