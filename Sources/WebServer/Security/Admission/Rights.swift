import Accounts
import Devices
import HomeTheater

// The one place that says what a role may do. Each command's row and each route's line say what they
// need; what a role is not given here it may not.

extension AccountRole {
  /// What people of this role may do.
  package var permissions: Set<Permission> {
    switch self {
    case .owner: [.view, .play, .operate, .account, .administer]
    case .member: [.view, .play, .operate, .account]
    case .guest: [.view, .play]
    }
  }
}

extension SessionPrincipal {
  /// Whether this person may do what needs `permission`.
  func may(_ permission: Permission) -> Bool { role.permissions.contains(permission) }

  /// This user, with the limits of its guest pass and its age, for operations of the theater.
  package var theaterPrincipal: Principal {
    Principal(
      user: account.text, permissions: role.permissions,
      activities: pass.map { Set($0.activities) }, volumeLimit: pass?.volumeLimit,
      ageLimit: ageLimit)
  }

  /// What this person is told who may not.
  var refusal: APIError {
    APIError(role == .guest ? AccountError.guestsMayNot("do this") : .forbidden("do this"))
  }
}
