import Devices

/// The caller of an operation of the theater: its user, and what this user may do.
///
/// The front end that has authenticated a user makes it for each request; the theater knows no
/// accounts. Neither this type nor an operation has defaults: a front end that forgets a limit or
/// the principal does not compile.
package struct Principal: Sendable, Hashable {
  /// The account for which positions are saved and which reports name; `nil` for a caller without an
  /// account.
  package var user: String?
  /// The permissions for operations and for commands to single devices.
  package var permissions: Set<Permission>
  /// The names of the activities that this user may begin, control and end; `nil` for all.
  package var activities: Set<String>?
  /// The highest volume that this user may set, 0 to 100 %; `nil` for no limit.
  package var volumeLimit: Int?
  /// The highest age rating that this user may watch, in years; `nil` for no limit.
  package var ageLimit: Int?

  package init(
    user: String?, permissions: Set<Permission>, activities: Set<String>?, volumeLimit: Int?,
    ageLimit: Int?
  ) {
    self.user = user
    self.permissions = permissions
    self.activities = activities
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
  }

}
