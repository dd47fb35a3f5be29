import Foundation
import Glibc

/// The theater's folders and files, by the XDG Base Directory Specification.
struct ApplicationPaths: Sendable, Hashable {
  /// Accounts, positions, the token: `$XDG_STATE_HOME/theater`.
  let state: String
  /// The user's own plugins: `$XDG_DATA_HOME/theater`.
  let data: String
  /// `devices.json` of an installed theater: `$XDG_CONFIG_HOME/theater`.
  let configuration: String
  /// Sockets and the lock, gone after a restart of the machine: `$XDG_RUNTIME_DIR/theater`.
  let runtime: String
  /// The user's home folder; `nil` if unknown.
  let home: String?

  /// Reads the environment.
  ///
  /// - Parameter environment: Returns the value of a variable; `nil` if it is missing or empty.
  init(user: uid_t = getuid(), environment: (String) -> String? = Console.environment) {
    let home = environment("HOME") ?? Self.home(of: user)
    /// Ignores a relative path in the variable, as the specification asks.
    func base(_ variable: String, _ otherwise: String) -> String {
      let named = environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
      return (named ?? "\(home ?? "/")/\(otherwise)") + "/theater"
    }
    self.home = home
    state = base("XDG_STATE_HOME", ".local/state")
    data = base("XDG_DATA_HOME", ".local/share")
    configuration = base("XDG_CONFIG_HOME", ".config")
    if let named = environment("XDG_RUNTIME_DIR"), named.hasPrefix("/") {
      runtime = named + "/theater"
    } else if Self.isOwnFolder("/run/user/\(user)", user: user) {
      runtime = "/run/user/\(user)/theater"
    } else {
      runtime = "/tmp/theater-\(user)"
    }
  }

  /// The folder of the user's settings, of this program and others: `$XDG_CONFIG_HOME`.
  var settings: String { String(configuration.dropLast("/theater".count)) }

  /// The socket on which the controller answers.
  var socket: String { runtime + "/theater.sock" }
  /// Held by the one controller of this runtime folder.
  var lock: String { runtime + "/theater.lock" }
  /// The record of the controller that runs.
  var record: String { runtime + "/controller.json" }
  /// The configuration of an installed theater.
  var installedConfiguration: String { configuration + "/devices.json" }
  /// Held by the one controller of this state folder.
  var stateLock: String { state + "/theater.lock" }
  /// The file with the token of this user's session.
  var token: String { state + "/token" }
  /// The file with the secret that marks this terminal as a known device.
  var device: String { state + "/device" }
  /// The file with the token of this user's session at a controller; `nil` for this user's own.
  func token(at address: RemoteAddress?) -> String {
    address.map { "\(state)/controllers/\($0.fileName).token" } ?? token
  }
  /// The file with the secret that marks this terminal at a controller; `nil` for this user's own.
  func device(at address: RemoteAddress?) -> String {
    address.map { "\(state)/controllers/\($0.fileName).device" } ?? device
  }
  /// The folder with the values of `{"secret": "name"}` in options.
  var secrets: String { state + "/secrets" }
  /// The certificate that the controller makes for itself, with its key.
  var certificate: String { state + "/tls.pem" }
  /// The folder with the user's own plugins.
  var plugins: String { data + "/plugins" }

  /// Makes the runtime folder private to its user.
  func prepareRuntime() throws(ExitError) {
    try Self.make(privately: runtime, variable: "XDG_RUNTIME_DIR")
    // `sun_path` of unix(7) holds 108 bytes with the closing zero.
    guard socket.utf8.count < 108 else {
      throw ExitError(
        .failed, "the path \(socket) is too long for a socket",
        hint: "Set XDG_RUNTIME_DIR to a folder with a shorter path.")
    }
  }

  /// Makes a folder with mode 0700, and its parents. Removes other users' access to an existing
  /// folder.
  ///
  /// - Parameter variable: The variable that names another folder, for the error's hint.
  /// - Throws: `ExitError` if another user owns the folder, or if it is a link.
  static func make(privately path: String, variable: String = "XDG_STATE_HOME") throws(ExitError) {
    makeParents(of: path)
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw ExitError(
        .failed, "the folder \(path) cannot be made: \(String(cString: strerror(errno)))",
        hint: "Check who may write in the folder above it.")
    }
    // Links are not followed: another user may have made one.
    guard let facts = FileFacts(at: path), facts.isFolder, facts.owner == geteuid() else {
      throw ExitError(
        .failed, "\(path) is not a folder of yours",
        hint: "Check whose it is (ls -ld \(path)). Remove it, or set \(variable) to a folder of "
          + "your own.")
    }
    if !facts.isPrivate, chmod(path, 0o700) != 0 {
      throw ExitError(
        .failed, "others may enter \(path)", hint: "Close it: chmod 700 \(path)")
    }
  }

  private static func makeParents(of path: String) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let parent = String(path[..<slash])
    if access(parent, F_OK) == 0 { return }
    makeParents(of: parent)
    mkdir(parent, 0o700)
  }

  private static func isOwnFolder(_ path: String, user: uid_t) -> Bool {
    guard let facts = FileFacts(at: path) else { return false }
    return facts.isFolder && facts.owner == user
  }

  private static func home(of user: uid_t) -> String? {
    guard let entry = getpwuid(user), let path = entry.pointee.pw_dir else { return nil }
    return String(cString: path)
  }
}
