import APIClient
import AccountFlows
import JSON
import NIOHTTP1
import Platform
import TheaterAPI

/// The client of the controller that the command uses: that of this user, or one elsewhere. A refusal becomes an
/// `ExitError`, which ends the command.
struct RemoteTheater: Sendable {
  let paths: ApplicationPaths
  private let target: ControllerTarget
  /// The file with the token of this user's session at the controller.
  let session: TokenFile
  private let device: TokenFile
  private var client: ControllerClient

  /// - Parameter needsLogin: Whether a missing session is an error.
  init(
    paths: ApplicationPaths = ApplicationPaths(), target: ControllerTarget = .current,
    needsLogin: Bool = true
  ) throws(ExitError) {
    self.paths = paths
    self.target = target
    session = TokenFile(paths.token(at: target.address))
    device = TokenFile(paths.device(at: target.address))
    // A login replaces the token file, even a damaged one.
    var token: String?
    if needsLogin {
      token = target.token?.text
      if token == nil { token = try session.read() }
    }
    if let address = target.address {
      let connections: HTTPConnections? =
        address.isEncrypted
        ? .tls(pinnedTo: try KnownControllers(paths).fingerprint(of: address)) : nil
      client = ControllerClient(address.controller, token: token, connections: connections)
    } else {
      client = ControllerClient(.socket(paths.socket), token: token)
    }
    client.device = try device.read()
    if needsLogin, token == nil { throw try notLoggedIn() }
    if !needsLogin { try requireSession("this command") }
  }

  /// Throws if the command was given a token in place of a session.
  ///
  /// - Parameter command: What opens, replaces or ends a session.
  func requireSession(_ command: String) throws(ExitError) {
    guard target.token != nil else { return }
    throw ExitError(
      .wrongUsage, "a token was given, and \(command) is about the session of a login",
      hint: "Leave out --token-file, THEATER_TOKEN_FILE and THEATER_TOKEN.")
  }

  /// Removes the session's token from this machine, unless a token was given.
  func forgetSession() {
    if target.token == nil { session.remove() }
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

  /// Throws if the controller does not answer; called before a password is asked for.
  func requireController() async throws {
    guard target.address == nil else {
      _ = try await client.send(.GET, SystemEndpoint.health.path())
      return
    }
    try requireOwnController()
  }

  /// Throws if no controller of this user runs.
  private func requireOwnController() throws(ExitError) {
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

  /// Receives events until `body` returns false, or until the stream of this user's controller ends. A lost stream of
  /// a controller elsewhere is opened again.
  ///
  /// - Parameter report: Called with the reason when the stream is lost, and with `nil` when it is open again.
  func listen(
    after id: String? = nil, report: (String?) async -> Void = ConnectionLines.write,
    _ each: (ServerSentEvent) async throws -> Bool
  ) async throws {
    let waiting = WaitingLine(Self.waiting)
    defer { waiting.end() }
    func pass(_ event: ServerSentEvent) async throws -> Bool {
      waiting.end()
      return try await each(event)
    }
    guard let address = target.address else {
      do {
        if let refusal = try await client.listen(after: id, pass) { throw ExitError(refusal) }
      } catch let failure as ControllerConnectionError {
        guard case .broken = failure else { throw failure }
        throw await streamEndError(otherwise: ExitError(failure))
      }
      return
    }
    var stream = ReopenedStream(lastEvent: id, at: SystemClock().now())
    while !stream.hasEnough {
      let reason = try await listenOnce(&stream, report, pass)
      if stream.hasEnough { return }
      guard let loss = stream.lose(at: SystemClock().now()) else {
        throw ExitError(
          .notRunning, "\(address) has not answered for a long time: \(reason)",
          hint: "Check that machine and the network, and run the command again.")
      }
      if loss.isNew { await report(reason) }
      try await SystemClock().sleep(for: loss.wait)
    }
  }

  /// Opens the stream and receives its events.
  ///
  /// - Returns: Why it has ended.
  private func listenOnce(
    _ stream: inout ReopenedStream, _ report: (String?) async -> Void,
    _ each: (ServerSentEvent) async throws -> Bool
  ) async throws -> String {
    var received = stream
    defer { stream = received }
    do {
      let refusal = try await client.listen(after: received.lastEvent) {
        if received.open(at: SystemClock().now()) { await report(nil) }
      } _: { event in
        received.hasEnough = try await !each(event)
        // An event that could not be used is asked for again.
        if let id = event.id { received.lastEvent = id }
        return !received.hasEnough
      }
      guard let refusal else { return "the controller has ended the stream" }
      // A proxy in front may answer while the controller starts.
      guard refusal.status >= 500 else { throw ExitError(refusal) }
      return "the answer was \(refusal.status)"
    } catch let failure as ControllerConnectionError {
      switch failure {
      case .notRunning, .broken:
        try Task.checkCancellation()
        return failure.reason
      case .untrusted, .certificate: throw failure
      }
    }
  }

  /// The error for a missing session, or for a missing controller, which is the more urgent one.
  private func notLoggedIn() throws(ExitError) -> ExitError {
    if target.address == nil { try requireOwnController() }
    return ExitError(
      .notLoggedIn, "you are not logged in",
      hint: HintedCommands.hint("Log in.", refusal: ExitError.Code.notLoggedIn.word))
  }
}

extension RemoteTheater {
  /// Saves the secret that marks this terminal as a known device, if the login's response has one.
  func saveDeviceToken(from answer: JSON) throws(ExitError) {
    if let secret = answer["device"]?.string { try device.write(secret) }
  }
}
