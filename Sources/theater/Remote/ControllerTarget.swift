import AccountFlows

/// The controller that a command uses, and the token that it sends.
struct ControllerTarget: Sendable, Hashable {
  /// The address of the controller; `nil` for the one of this user, at its socket.
  var address: RemoteAddress?
  /// An access token in place of the session of a login.
  var token: SessionSecret?
  /// The options that select this controller, for suggested commands: ` --at https://box:8080`.
  var options = ""

  /// The target of the current command.
  @TaskLocal static var current = ControllerTarget()
}

/// A command that works on this machine's files and programs, and cannot use a controller elsewhere.
protocol LocalCommand {}
