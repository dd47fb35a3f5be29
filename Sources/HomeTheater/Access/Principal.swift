import Devices

/// The caller of an operation of the theater: its user, with the user's permissions and limits.
///
/// The front end that has authenticated a user makes it for each request; the theater knows no
/// accounts. Neither its initializer nor an operation has defaults: a front end that forgets a limit or
/// the principal does not compile.
public struct Principal: Sendable, Hashable {
  /// The account for which positions are saved and which reports name; `nil` for a caller without an
  /// account.
  public var user: String?
  /// The permissions for operations and for commands to single devices.
  public var permissions: Set<Permission>
  /// The names of the activities that this user may begin, control and end; `nil` for all.
  public var activities: Set<String>?
  /// The highest volume that this user may set, 0 to 100 %; `nil` for no limit.
  public var volumeLimit: Int?
  /// The highest age rating that this user may watch, in years; `nil` for no limit.
  public var ageLimit: Int?

  /// - Parameters:
  ///   - user: The account, or `nil`.
  ///   - permissions: The permissions; an operation that needs another one throws `forbidden`.
  ///   - activities: The names of the permitted activities, of a guest; `nil` for all.
  ///   - volumeLimit: The highest volume, 0 to 100 %; `nil` for no limit.
  ///   - ageLimit: The highest age rating, in years; `nil` for no limit.
  public init(
    user: String?, permissions: Set<Permission>, activities: Set<String>?, volumeLimit: Int?,
    ageLimit: Int?
  ) {
    self.user = user
    self.permissions = permissions
    self.activities = activities
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
  }

  /// Whether this user may begin the activity while nothing is on.
  func mayBegin(_ activity: Activity) -> Bool {
    permissions.contains(.play) && activities?.contains(activity.name) != false
  }

  /// Whether this user may choose items of the category: a pass names activities, and one of them plays it.
  func mayChoose(_ category: Category, in plan: TheaterPlan) -> Bool {
    guard let activities else { return true }
    return plan.activities.values.contains {
      $0.category == category && activities.contains($0.name)
    }
  }

  /// A user with every permission and without limits.
  public static func owner(_ user: String) -> Principal {
    Principal(
      user: user, permissions: Set(Permission.allCases), activities: nil, volumeLimit: nil,
      ageLimit: nil)
  }
}
