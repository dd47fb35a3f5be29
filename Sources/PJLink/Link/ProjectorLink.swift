import Platform

/// The connection to a projector. It is opened for a request, kept open for more requests, and closed when it is idle,
/// so that other programs can reach the projector. Only one task at a time may use it.
package struct ProjectorLink {
  /// The longest wait until the host accepts a connection.
  static let connectionTime = Duration.seconds(3)
  /// The longest wait for the projector's greeting. In standby some projectors need seconds for it.
  static let greetingTime = Duration.seconds(10)
  /// The longest wait for the answer to SHA-256. A projector that does not know it may be silent.
  package static let challengeTime = Duration.seconds(2)
  /// The longest wait for each reply. The specification says 2 s; some projectors need longer.
  static let replyTime = Duration.seconds(4)
  /// How long an unused connection is kept open. The projector itself would close it after 30 s.
  package static let idleTime = Duration.seconds(5)

  private struct Connection {
    let socket: ProjectorSocket
    var conversation: Conversation
    let method: Authentication.Method
  }

  /// The progress of a connection or a request.
  private enum Progress {
    case connected
    /// The projector was asked for SHA-256.
    case challenged
    case ready(Authentication.Method)
    case answer(PJLinkAnswer)
  }

  let host: String
  let port: UInt16
  /// The host and port, for messages.
  package var hostAndPort: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
  private var authentication: Authentication
  private let clock: any TheaterClock
  private let nonce: @Sendable () -> [UInt8]
  private let limit: Duration?
  private var connection: Connection?
  /// The time of the last reply.
  private var lastUse = Duration.zero
  /// The received lines that answered no request, since the last call of ``removeIgnored()``; at most 4.
  private var ignored: [String] = []

  /// - Parameters:
  ///   - nonce: Returns ``Authentication/nonceSize`` random bytes.
  ///   - limit: The time of `clock` at which every wait ends; nil for no limit.
  package init(
    host: String, port: UInt16, authentication: Authentication, clock: any TheaterClock,
    nonce: @escaping @Sendable () -> [UInt8] = Authentication.randomNonce, limit: Duration? = nil
  ) {
    self.host = host
    self.port = port
    self.authentication = authentication
    self.clock = clock
    self.nonce = nonce
    self.limit = limit
  }

  /// The authentication method of the connection; nil while there is no connection.
  package var method: Authentication.Method? { connection?.method }

  /// The time from which the connection counts as idle; nil while there is no connection.
  package var idleDeadline: Duration? { connection.map { _ in lastUse + Self.idleTime } }

  /// Closes the connection if it is idle.
  package mutating func closeIfIdle() {
    if let deadline = idleDeadline, deadline <= clock.now() { close() }
  }

  /// Closes the connection.
  package mutating func close() {
    connection?.socket.close()
    connection = nil
  }

  /// Removes and returns the lines since the last call that answered no request, at most 4.
  package mutating func removeIgnored() -> [String] {
    defer { ignored = [] }
    return ignored
  }

  /// Connects, unless there is a connection.
  package mutating func open() async throws(LinkFailure) {
    if connection == nil { connection = try await connect() }
  }

  /// Sends a request and returns the projector's answer. If the connection is lost or no reply comes, sends the request
  /// once more on a new connection. Repeating is safe, because every request names the wanted state.
  package mutating func ask(_ request: PJLinkRequest) async throws(LinkFailure) -> PJLinkAnswer {
    do throws(LinkFailure) {
      return try await askOnce(request)
    } catch {
      guard error.isWorthANewConnection, !isOver else { throw error }
    }
    return try await askOnce(request)
  }

  private mutating func askOnce(_ request: PJLinkRequest) async throws(LinkFailure) -> PJLinkAnswer
  {
    do throws(LinkFailure) {
      try await open()
      guard var current = connection else { throw .disconnected }
      defer { connection = current }
      guard let bytes = current.conversation.ask(request), current.socket.send(bytes) else {
        throw .disconnected
      }
      while true {
        let progress = try await next(
          of: current.socket, &current.conversation, within: Self.replyTime)
        guard case .answer(let answer) = progress else { continue }
        lastUse = clock.now()
        return answer
      }
    } catch {
      close()
      throw error
    }
  }

  /// Opens a connection. If the projector does not answer to SHA-256 and the policy is `auto`, uses MD5 from now on.
  private mutating func connect() async throws(LinkFailure) -> Connection {
    do throws(LinkFailure) {
      return try await connectOnce()
    } catch {
      guard error == .noSHA256, authentication.policy == .auto, authentication.triesSHA256 else {
        throw error
      }
      authentication.isWithoutSHA256 = true
    }
    return try await connectOnce()
  }

  private mutating func connectOnce() async throws(LinkFailure) -> Connection {
    let socket = try ProjectorSocket(host: host, port: port, within: Self.connectionTime)
    do throws(LinkFailure) {
      var conversation = Conversation(authentication, nonce: nonce)
      var isConnected = false
      while true {
        let time =
          !isConnected
          ? Self.connectionTime
          : conversation.isInChallenge ? Self.challengeTime : Self.greetingTime
        let timeout = isConnected ? nil : LinkFailure.connectionTimeout(Int(time / .seconds(1)))
        switch try await next(of: socket, &conversation, within: time, timeout: timeout) {
        case .connected, .challenged: isConnected = true
        case .ready(let method):
          return Connection(socket: socket, conversation: conversation, method: method)
        case .answer: throw .disconnected
        }
      }
    } catch {
      socket.close()
      throw error
    }
  }

  /// Waits for the next progress of a conversation.
  ///
  /// - Parameter timeout: The failure if there is no progress in time; nil for the failure of the conversation.
  private mutating func next(
    of socket: ProjectorSocket, _ conversation: inout Conversation, within time: Duration,
    timeout: LinkFailure? = nil
  ) async throws(LinkFailure) -> Progress {
    let deadline = [clock.now() + time, limit].compactMap(\.self).min()
    while true {
      switch isOver ? nil : await socket.events.next(until: deadline, on: clock) {
      case .connected: return .connected
      case .received(let bytes):
        if let progress = try perform(conversation.receive(bytes), on: socket) { return progress }
      case .closed(let reason): throw failure(of: &conversation, reason)
      case .flooded: throw .flood
      case nil:
        if Task.isCancelled { throw .cancelled }
        throw timeout ?? conversation.endAfterTimeout()
      }
    }
  }

  /// Whether the task was cancelled, or the limit of all waits has passed.
  private var isOver: Bool { Task.isCancelled || limit.map { $0 <= clock.now() } ?? false }

  private func failure(of conversation: inout Conversation, _ reason: String?) -> LinkFailure {
    let failure = conversation.endAfterDisconnect()
    guard failure == .noGreeting, let reason else { return failure }
    return .noConnection(reason)
  }

  private mutating func perform(
    _ actions: [Conversation.Action], on socket: ProjectorSocket
  ) throws(LinkFailure) -> Progress? {
    var progress: Progress?
    for action in actions {
      switch action {
      case .send(let bytes):
        if !socket.send(bytes) { throw .disconnected }
        progress = .challenged
      case .ready(let method): progress = .ready(method)
      case .answer(let answer): progress = .answer(answer)
      case .fail(let failure): throw failure
      case .ignored(let line): if ignored.count < 4 { ignored.append(line) }
      }
    }
    return progress
  }
}
