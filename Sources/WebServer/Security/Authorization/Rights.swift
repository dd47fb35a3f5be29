import Accounts
import Devices
import HomeTheater

extension AccountRole {
  /// The permissions of the role. The command table and the route declarations name the ones that they
  /// require.
  package var permissions: Set<Permission> {
    switch self {
    case .owner: [.view, .play, .operate, .account, .administer]
    case .member: [.view, .play, .operate, .account]
    case .guest: [.view, .play]
    }
  }
}

extension SessionPrincipal {
  /// Whether the role of the session has `permission`.
  func may(_ permission: Permission) -> Bool { role.permissions.contains(permission) }

  /// This user, with the limits of its guest pass and its age, for operations of the theater.
  package var theaterPrincipal: Principal {
    Principal(
      user: account.text, permissions: role.permissions,
      activities: isWallTablet ? nil : pass.map { Set($0.activities) },
      // 100 % limits nothing, but as a limit it would be set.
      volumeLimit: pass.map(\.volumeLimit).flatMap { $0 < 100 ? $0 : nil },
      ageLimit: ageLimit)
  }

  /// The error for a missing permission.
  var refusal: APIError {
    APIError(role == .guest ? AccountError.guestsMayNot("do this") : .forbidden("do this"))
  }
}
