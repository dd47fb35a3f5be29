import Accounts
import Devices

// The one place that says what a role may do. Each command's row and each route's line say what they
// need; what a role is not given here it may not.

extension Accounts.Role {
  /// What people of this role may do.
  package var permissions: Set<Permission> {
    switch self {
    case .owner: [.view, .play, .operate, .account, .administer]
    case .member: [.view, .play, .operate, .account]
    case .guest: [.view, .play]
    }
  }
}

extension Principal {
  /// Whether this person may do what needs `permission`.
  func may(_ permission: Permission) -> Bool { role.permissions.contains(permission) }

  /// What this person is told who may not.
  var refusal: APIError {
    APIError(role == .guest ? AccountError.guestsMayNot("do this") : .forbidden("do this"))
  }
}
