import APIClient
import JSON
import NIOHTTP1

/// The client of this user's controller. A refusal becomes an `ExitError`, which ends the command.
struct RemoteTheater: Sendable {
  let paths: ApplicationPaths
  private var client: ControllerClient

  /// - Parameter needsLogin: Whether a missing session is an error.
  init(paths: ApplicationPaths = ApplicationPaths(), needsLogin: Bool = true) throws(ExitError) {
    self.paths = paths
    // A login replaces the token file, even a damaged one.
    let token = needsLogin ? try TokenFile(paths.token).read() : nil
    client = ControllerClient(.socket(paths.socket), token: token)
    client.device = try TokenFile(paths.device).read()
    if needsLogin, token == nil { throw try notLoggedIn() }
  }

  /// Sends a GET request and returns the response's JSON.
  func get(_ path: String) async throws -> JSON { try await send(.GET, path) }

  /// Sends a POST request and returns the response's JSON.
  ///
  /// - Parameter wait: How long the controller may wait for the end of the action, in seconds.
  @discardableResult
  func post(_ path: String, _ body: JSON? = nil, wait: Int? = nil) async throws -> JSON {
    try await send(.POST, path, body, wait: wait)
  }

  /// Sends a POST request with a JSON text as it stands, and returns the response's JSON.
  func post(_ path: String, text: [UInt8]) async throws -> JSON {
    let answer = try await WaitingLine.during(Self.waiting) {
      try await client.send(
        .POST, path, bytes: text, headers: ["content-type": "application/json"])
    }
    guard answer.isSuccess else { throw ExitError(answer) }
    return answer.json
  }

  /// Sends a DELETE request.
  func delete(_ path: String) async throws { _ = try await send(.DELETE, path) }

  /// Sends a request and returns the response, also a refusal.
  func answer(_ method: HTTPMethod, _ path: String, _ body: JSON? = nil)
    async throws(ControllerConnectionError) -> ControllerResponse
  {
    try await client.send(method, path, body)
  }

  /// Throws if no controller of this user runs; called before a password is asked for.
  func requireController() throws(ExitError) {
    do throws(ControllerConnectionError) {
      try SocketOwnership.check(paths.socket)
    } catch {
      throw ExitError(error)
    }
    guard SocketProbe.isListening(at: paths.socket) else {
      throw ExitError(ControllerConnectionError.notRunning(.socket(paths.socket)))
    }
  }

  private func send(_ method: HTTPMethod, _ path: String, _ body: JSON? = nil, wait: Int? = nil)
    async throws -> JSON
  {
    let answer = try await WaitingLine.during(Self.waiting) {
      try await client.send(method, path, body, wait: wait)
    }
    guard answer.isSuccess else { throw ExitError(answer) }
    return answer.json
  }

  /// What a command waits for, where it does not say more.
  private static let waiting = "Waiting for the controller"

  /// Receives events until `body` returns false or the controller ends the stream.
  func listen(after id: String? = nil, _ each: (ServerSentEvent) async throws -> Bool)
    async throws
  {
    let waiting = WaitingLine(Self.waiting)
    defer { waiting.end() }
    do {
      let refusal = try await client.listen(after: id) { event in
        waiting.end()
        return try await each(event)
      }
      if let refusal { throw ExitError(refusal) }
    } catch let failure as ControllerConnectionError {
      guard case .broken = failure else { throw failure }
      throw await streamEndError(otherwise: ExitError(failure))
    }
  }

  /// The error for a missing session, or for a missing controller, which is the more urgent one.
  private func notLoggedIn() throws(ExitError) -> ExitError {
    try requireController()
    return ExitError(
      .notLoggedIn, "you are not logged in",
      hint: ExitError.hint("Log in.", refusal: ExitError.Code.notLoggedIn.word))
  }
}

extension RemoteTheater {
  /// Saves the secret that marks this terminal as a known device, if the login's response has one.
  func saveDeviceToken(from answer: JSON) throws(ExitError) {
    if let device = answer["device"]?.string { try TokenFile(paths.device).write(device) }
  }
}
