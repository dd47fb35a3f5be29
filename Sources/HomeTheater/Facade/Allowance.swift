import Devices

/// What a person may do in the theater, and how far. The edge says it with each request: the
/// theater knows no accounts.
package struct Allowance: Sendable, Hashable {
  /// What a command for one device may need.
  package var permissions: Set<Permission>
  /// The activities that this person may begin, steer and end; `nil` for every one.
  package var activities: Set<String>?
  /// The loudest volume that this person may bring about, 0 to 100 %; `nil` for no limit.
  package var volumeLimit: Int?
  /// The oldest age rating that this person may watch, in years; `nil` for no limit.
  package var ageLimit: Int?

  package init(
    permissions: Set<Permission>, activities: Set<String>? = nil, volumeLimit: Int? = nil,
    ageLimit: Int? = nil
  ) {
    self.permissions = permissions
    self.activities = activities
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
  }

  /// No limit, for the controller's own operations. It is never a default value, so that a user's
  /// operation cannot run with it because its allowance was forgotten.
  package static let everything = Allowance(permissions: Set(Permission.allCases))

  func covers(_ activity: String) -> Bool { activities?.contains(activity) ?? true }
}
