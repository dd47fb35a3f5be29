import Accounts
import Devices
import HomeTheater
import JSON
import TheaterAPI

/// The authenticated requester of a request. Only the first one is a person, so only that one may change accounts,
/// sessions and credentials: their operations take a `SessionPrincipal`.
enum Caller: Sendable {
  /// A person or guest, with the token of the session: to check later whether it is still open, and to log out.
  case session(SessionPrincipal, token: String)
  /// A program, with the secret of its access token.
  case token(TokenPrincipal, secret: String)

  /// The account, or the identity of the guest pass.
  var account: AccountID {
    switch self {
    case .session(let principal, _): principal.account
    case .token(let principal, _): principal.account
    }
  }

  /// The role whose permissions are the most that the requester has.
  var role: AccountRole {
    switch self {
    case .session(let principal, _): principal.role
    case .token(let principal, _): principal.role
    }
  }

  /// The session or token, for the bounds of event streams.
  var credential: EventStreamLimiter.Credential {
    switch self {
    case .session(let principal, _): .session(principal.session)
    case .token(let principal, _): .token(principal.token)
    }
  }

  /// The requester for the audit log.
  var actor: AuditActor {
    switch self {
    case .session(let principal, _): AuditActor(principal)
    case .token(let principal, _): AuditActor(principal)
    }
  }

  /// The requester as the theater knows it.
  var theaterPrincipal: Principal {
    switch self {
    case .session(let principal, _): principal.theaterPrincipal
    case .token(let principal, _): principal.theaterPrincipal
    }
  }
}

extension TokenPrincipal {
  /// The most that the token may do, before a route's own `TokenAccess`: what its scopes need, within the permissions
  /// of its account's role.
  var permissions: Set<Permission> {
    scopes.reduce(into: Set<Permission>()) { permissions, scope in
      switch scope {
      // A token never changes an account.
      case .everything: permissions.formUnion([.view, .play, .operate, .administer])
      case .view: permissions.insert(.view)
      // Its answer counts the titles of the library.
      case .command("scan"): permissions.formUnion([.view, .operate])
      case .command, .device, .scene, .activity: permissions.formUnion([.play, .operate])
      }
    }.intersection(role.permissions)
  }

  /// The account in whose name the token acts, with its age limit, for operations of the theater.
  var theaterPrincipal: Principal {
    Principal(
      user: account.text, permissions: permissions, activities: nil, volumeLimit: nil,
      ageLimit: ageLimit)
  }
}

extension Route.TokenAccess {
  /// Throws 403 unless the token's scopes include the request.
  ///
  /// - Parameters:
  ///   - captured: Returns a part of the path by its name.
  ///   - body: The body; `nil` before it is read. Then a token with any command for the device is admitted, and checked
  ///     again when the body is there.
  func check(
    _ principal: TokenPrincipal, captured: (String) -> String?, body: JSON?
  ) throws(APIError) {
    let isAdmitted =
      switch self {
      case .never: false
      case .everything: principal.scopes.contains(.everything)
      case .view: principal.may(.view)
      case .command(let name): principal.may(.command(name))
      case .scene: captured("name").map { principal.may(.scene($0)) } ?? false
      case .activity: captured("name").map { principal.may(.activity($0)) } ?? false
      case .device: captured("id").map { principal.mayCommand($0, body) } ?? false
      }
    guard !isAdmitted else { return }
    throw APIError(
      AccountError.tokenMayNot(
        word.map { "It needs \"\($0)\": create another token that may do it." }
          ?? "No access token may. Log in, and do it yourself."))
  }
}

extension TokenPrincipal {
  /// Whether it may give a device the command of a body; before the body is read, whether it may give it any.
  fileprivate func mayCommand(_ device: String, _ body: JSON?) -> Bool {
    guard let body else {
      return scopes.contains { scope in
        if case .device(device, _) = scope { return true }
        return scope == .everything
      }
    }
    guard let name = try? Command.parts(of: body).name else { return false }
    return may(.device(device, command: name))
  }
}
