import APIClient
import JSON
import NIOHTTP1

/// Asks the controller of this user, and ends the command with a message when it refuses.
struct RemoteTheater: Sendable {
  let folders: ApplicationPaths
  private var client: ControllerClient

  /// - Parameter needsLogin: Whether to end at once where nobody is logged in.
  init(folders: ApplicationPaths = ApplicationPaths(), needsLogin: Bool = true) throws(ExitError) {
    self.folders = folders
    // Logging in puts a new token there, whatever lies there now.
    let token = needsLogin ? try TokenFile(folders.token).read() : nil
    client = ControllerClient(.socket(folders.socket), token: token)
    client.device = try TokenFile(folders.device).read()
    if needsLogin, token == nil { throw try notLoggedIn() }
  }

  /// Reads something.
  func get(_ path: String) async throws -> JSON { try await ask(.GET, path) }

  /// Does something.
  ///
  /// - Parameter wait: How long the answer may wait for the end of it, in seconds.
  @discardableResult
  func post(_ path: String, _ body: JSON? = nil, wait: Int? = nil) async throws -> JSON {
    try await ask(.POST, path, body, wait: wait)
  }

  /// Takes something away.
  func delete(_ path: String) async throws { _ = try await ask(.DELETE, path) }

  /// What the controller answers, be it a refusal.
  func answer(_ method: HTTPMethod, _ path: String, _ body: JSON? = nil)
    async throws(ConnectionError) -> ControllerResponse
  {
    try await client.send(method, path, body)
  }

  /// Ends the command where no controller of this user runs, before a person types a password.
  func expectController() throws(ExitError) {
    do throws(ConnectionError) {
      try SocketOwnership.check(folders.socket)
    } catch {
      throw ExitError(error)
    }
    guard SocketProbe.answers(at: folders.socket) else {
      throw ExitError(ConnectionError.notRunning(.socket(folders.socket)))
    }
  }

  private func ask(_ method: HTTPMethod, _ path: String, _ body: JSON? = nil, wait: Int? = nil)
    async throws -> JSON
  {
    let answer = try await client.send(method, path, body, wait: wait)
    guard answer.isSuccess else { throw ExitError(answer) }
    return answer.json
  }

  /// Listens to what happens, until `each` wants no more or the controller ends the stream.
  func listen(after id: String? = nil, _ each: (ServerSentEvent) async throws -> Bool)
    async throws
  {
    if let refusal = try await client.listen(after: id, each) { throw ExitError(refusal) }
  }

  /// Nobody is logged in; that the controller does not run at all is the greater trouble.
  private func notLoggedIn() throws(ExitError) -> ExitError {
    try expectController()
    return ExitError(
      .notLoggedIn, "you are not logged in", hint: "Log in: \(Invocation.name) login")
  }
}

extension RemoteTheater {
  /// Keeps what makes this terminal a device that has logged in before, where a login gave it.
  func keepDevice(of answer: JSON) throws(ExitError) {
    if let device = answer["device"]?.string { try TokenFile(folders.device).write(device) }
  }
}
