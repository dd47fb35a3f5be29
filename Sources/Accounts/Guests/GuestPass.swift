import Foundation

/// The permissions of a guest, who has no account, for a limited time. Stored under the digest of its
/// code.
public struct GuestPass: Hashable, Sendable, Identifiable {
  /// Takes the place of an account's identity; may be shown and logged.
  public let id: AccountID
  /// The guest's name in lists.
  public let name: DisplayName
  /// The activities of `devices.json` that the guest may start, control and end, sorted.
  public let activities: [String]
  /// The highest volume that the guest may set, 0 to 100 %.
  public let volumeLimit: Int
  /// The highest age rating that the guest may watch, in years; nil for no limit.
  public let ageLimit: Int?
  /// The owner who made it.
  public let madeBy: AccountID
  /// When it was made, by the time of day.
  public let madeAt: Date
  /// The pass and all its sessions end then.
  public let expires: Date
  /// The pass of a tablet on the wall: its session goes on while its page is open, and may start every activity.
  public let isWallTablet: Bool

  public init(
    id: AccountID, name: DisplayName, activities: [String], volumeLimit: Int, ageLimit: Int?,
    madeBy: AccountID, madeAt: Date, expires: Date, isWallTablet: Bool = false
  ) {
    self.id = id
    self.name = name
    self.activities = activities
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
    self.madeBy = madeBy
    self.madeAt = madeAt
    self.expires = expires
    self.isWallTablet = isWallTablet
  }
}

/// A new pass with its code, which is not stored.
public struct IssuedGuestPass: Sendable {
  /// The secret that opens sessions; shown once.
  public let code: EntryCode
  /// The stored part of the pass.
  public let pass: GuestPass
}

/// Stores guest passes under the digests of their codes.
public protocol GuestPassStore: Sendable {
  /// Stores a pass, and deletes those that expired at or before its making.
  /// - Throws: `forbidden` when its maker is no owner any more.
  func insert(_ pass: GuestPass, digest: SecretDigest) async throws(AccountError)

  /// The pass with this digest; nil when it is unknown or revoked.
  func guestPass(digest: SecretDigest) async throws(AccountError) -> GuestPass?

  /// Every pass, the newest first.
  func guestPasses() async throws(AccountError) -> [GuestPass]

  /// Deletes a pass with its sessions and its guests' saved positions.
  /// - Returns: The sessions that ended with it.
  /// - Throws: `notFound`.
  func deleteGuestPass(_ id: AccountID) async throws(AccountError) -> [Session]
}
