import APIClient
import AccountTestSupport
import Foundation
import HomeTheater
import JSON
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import TestSupport
import Testing

@testable import WebServer

/// The ways to end a session while its stream of events is open.
enum StreamEnding: String, CaseIterable, CustomTestStringConvertible {
  case loggedOut = "logged out"
  case endedByAnother = "ended from another session"
  case allEnded = "all ended"
  case othersEnded = "all others ended"
  case newLogin = "another login with its token"
  case proven = "proven again, under a new token"
  case passwordChanged = "the password changed elsewhere"
  case passwordReset = "the password reset"
  case roleChanged = "another role"
  case removed = "the person removed"
  case leftAlone = "the person leaves"
  case passRevoked = "the guest pass revoked"
  case hostDemoted = "the owner who issued the guest pass demoted"
  case idle = "not used for 7 days"
  case guestDay = "a guest's day is over"
  case passExpired = "the guest pass expired"
  case tokenRevoked = "the access token revoked"
  case tokensRevoked = "all tokens revoked with all sessions"
  case tokenExpired = "the access token expired"
  case tokenDemoted = "the owner of the access token demoted"
  case tokenRemoved = "the owner of the access token removed"
  case tokenReset = "the password of the token's owner reset"

  var testDescription: String { rawValue }

  /// Whether the listener may open another stream afterwards.
  var keepsAccess: Bool { self == .roleChanged || self == .tokenDemoted }

  typealias Action = @Sendable () async throws -> Void

  /// Returns the client that opens the stream, and the action that ends its session.
  func prepare(_ room: TestServer) async throws -> (TestClient, Action) {
    let owner = try await room.owner()
    let password = JSON.string(TestServer.password)
    switch self {
    case .loggedOut: return (owner, Self.ask(owner, .DELETE, "/api/v1/sessions/current"))
    case .endedByAnother:
      let list = try await owner.send(.GET, "/api/v1/sessions").json["sessions"]?.array
      let id = list?.first?["id"]?.string ?? ""
      let other = try await room.logIn("ann@example.org")
      return (owner, Self.ask(other, .DELETE, "/api/v1/sessions/\(id)"))
    case .allEnded:
      let other = try await room.logIn("ann@example.org")
      return (owner, Self.ask(other, .DELETE, "/api/v1/sessions"))
    case .othersEnded:
      let other = try await room.logIn("ann@example.org")
      return (owner, Self.ask(other, .DELETE, "/api/v1/sessions/others"))
    case .newLogin:
      let body: JSON = ["email": "ann@example.org", "password": password]
      return (owner, Self.ask(owner, .POST, "/api/v1/sessions", body))
    case .proven:
      let path = "/api/v1/sessions/current/proof"
      return (owner, Self.ask(owner, .POST, path, ["password": password]))
    case .passwordChanged:
      let other = try await room.logIn("ann@example.org")
      let body: JSON = ["password": password, "newPassword": "another evening with friends"]
      return (owner, Self.ask(other, .POST, "/api/v1/account/password", body))
    case .passwordReset: return (owner, try await reset(room, owner))
    case .roleChanged, .removed, .leftAlone:
      let member = try await room.member(invitedBy: owner)
      if self == .leftAlone { return (member, Self.ask(member, .DELETE, "/api/v1/account")) }
      let path = "/api/v1/accounts/\(try await Self.id(of: "ben@example.org", owner))"
      return self == .removed
        ? (member, Self.ask(owner, .DELETE, path))
        : (member, Self.ask(owner, .POST, "\(path)/role", ["role": "owner"]))
    case .passRevoked:
      let guest = try await room.logIn(withPass: room.guestPass(from: owner))
      let list = try await owner.send(.GET, "/api/v1/guests").json["guests"]?.array
      let id = list?.first?["id"]?.string ?? ""
      return (guest, Self.ask(owner, .DELETE, "/api/v1/guests/\(id)"))
    case .hostDemoted:
      let host = try await room.member(invitedBy: owner)
      let path = "/api/v1/accounts/\(try await Self.id(of: "ben@example.org", owner))/role"
      _ = try await owner.send(.POST, path, ["role": "owner"])
      let guest = try await room.logIn(withPass: room.guestPass(from: host))
      return (guest, Self.ask(owner, .POST, path, ["role": "member"]))
    case .idle: return (owner, { room.accountClock.advance(7 * 86_400) })
    case .guestDay:
      return (
        try await room.logIn(withPass: room.guestPass(from: owner)),
        { room.accountClock.advance(86_400) }
      )
    case .passExpired:
      let pass = try await room.guestPass(from: owner, validFor: 3600)
      return (try await room.logIn(withPass: pass), { room.accountClock.advance(3600) })
    case .tokenRevoked:
      let path = "/api/v1/account/tokens"
      let program = try await room.program(of: owner, may: ["view"])
      let id = try await owner.send(.GET, path).json["tokens"]?.array?.first?["id"]?.string
      return (program, Self.ask(owner, .DELETE, "\(path)/\(id ?? "")"))
    case .tokensRevoked:
      let program = try await room.program(of: owner, may: ["view"])
      return (program, Self.ask(owner, .DELETE, "/api/v1/sessions?tokens=revoke"))
    case .tokenExpired:
      let program = try await room.program(of: owner, may: ["view"])
      return (program, { room.accountClock.advance(90 * 86_400) })
    case .tokenDemoted, .tokenRemoved:
      let other = try await room.member(invitedBy: owner)
      let path = "/api/v1/accounts/\(try await Self.id(of: "ben@example.org", owner))"
      _ = try await owner.send(.POST, "\(path)/role", ["role": "owner"])
      let program = try await room.program(of: other, may: ["view"])
      return self == .tokenRemoved
        ? (program, Self.ask(owner, .DELETE, path))
        : (program, Self.ask(owner, .POST, "\(path)/role", ["role": "member"]))
    case .tokenReset:
      return (try await room.program(of: owner, may: ["view"]), try await reset(room, owner))
    }
  }

  private func reset(_ room: TestServer, _ owner: TestClient) async throws -> Action {
    let sent = try await owner.send(.POST, "/api/v1/account/email")
    _ = try await owner.send(
      .POST, "/api/v1/account/email/confirmation",
      ["request": sent.json["request"] ?? .null, "code": .string(room.sentMessages.code ?? "")])
    let request = try await room.stranger.send(
      .POST, "/api/v1/password-resets", ["email": "ann@example.org"])
    return Self.ask(
      room.stranger, .POST, "/api/v1/password-resets/confirmation",
      [
        "request": request.json["request"] ?? .null, "code": .string(room.sentMessages.code ?? ""),
        "newPassword": "another evening with friends",
      ])
  }

  fileprivate static func ask(
    _ client: TestClient, _ method: HTTPMethod, _ path: String, _ body: JSON? = nil
  ) -> Action {
    {
      let answer = try await client.send(method, path, body)
      #expect(answer.isSuccess, "\(method) \(path): \(answer.status) \(answer.json)")
    }
  }

  private static func id(of email: String, _ owner: TestClient) async throws -> String {
    let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array
    return people?.first { $0["email"]?.string == email }?["id"]?.string ?? ""
  }
}

@Suite struct StreamEndTests {
  @Test(
    "A10 · closes the event stream within a second of any end of its session",
    .realTime, .timeLimit(.minutes(5)), arguments: StreamEnding.allCases)
  func ended(by ending: StreamEnding) async throws {
    try await TestServer.open { room in
      let (listener, action) = try await ending.prepare(room)
      let (opening, opened) = AsyncStream<Void>.makeStream()
      let clock = ContinuousClock()
      async let end: ContinuousClock.Instant = {
        let refusal = try await listener.listen { _ in
          opened.finish()
          return true
        }
        #expect(refusal == nil)
        return clock.now
      }()
      for await _ in opening {}
      #expect(room.streams.count == 1)
      try await action()
      let done = clock.now
      #expect(done.duration(to: try await end) < .seconds(1))
      // After a change of role the session stays open: a new stream has the new permissions.
      let again = try await listener.listen { _ in false }
      #expect(again?.status == (ending.keepsAccess ? nil : 401))
    }
  }

  @Test("F5 · a stream says that its connection ends with it, and closes it without a reset")
  func closesConnection() async throws {
    var limits = ConnectionLimits.standard
    // With the standard limits, a reset could also mean that the client closed too late.
    limits.closing = .hours(1)
    limits.idle = .hours(1)
    try await TestServer.open(Listener.port(0, of: "127.0.0.1", limits: limits)) { room in
      let owner = try await room.owner()
      try await room.connection { inbound, outbound in
        try await outbound.write(room.listening(owner.token ?? ""))
        var text = ""
        for try await part in inbound {
          let isFirst = text.isEmpty
          text += String(buffer: part)
          if isFirst { try await StreamEnding.ask(owner, .DELETE, "/api/v1/sessions/current")() }
        }
        #expect(RawAnswer(text: text).headers("connection") == ["close"], "\(text)")
        #expect(text.hasSuffix("\r\n0\r\n\r\n"), "\(text)")
      }
    }
  }

  @Test(
    "A10 · drops a client that reads nothing when its session ends, however it ends",
    .realTime, .timeLimit(.minutes(5)), arguments: StreamEnding.allCases)
  func stuck(by ending: StreamEnding) async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let (listener, action) = try await ending.prepare(room)
      try await Self.expectDrop(
        of: listener.token ?? "", in: room, .init(transport: .port, address: "\(room.port)"),
        unread: 224, by: action)
    }
  }

  @Test(
    "A10 · drops a client that reads nothing when its session ends, however many bytes are unread",
    .timeLimit(.minutes(5)), arguments: [0, 64, 128, 160, 192, 224, 256, 288, 352, 480])
  func stuck(unread: Int) async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      for transport in [StuckReader.Transport.port, .socket] {
        let client = try await room.logIn("ann@example.org")
        try await Self.expectDrop(
          of: client.token ?? "", in: room,
          .init(
            transport: transport,
            address: transport == .port ? "\(room.port)" : room.socket), unread: unread,
          by: StreamEnding.ask(client, .DELETE, "/api/v1/sessions/current"))
      }
      #expect(try await owner.send(.GET, "/api/v1/health").status == 200)
    }
  }

  @Test(
    "A10 · drops a client that reads nothing over TLS without waiting for its closing handshake")
  func stuckWithTLS() async throws {
    try await withTemporaryFolder { folder in
      let certificate = try CertificateFiles.loadOrCreate(
        at: folder.appendingPathComponent("tls.pem").path, names: [],
        additionalNames: ["127.0.0.1"]
      ).certificate
      let listener = Listener.port(0, of: "127.0.0.1", certificate: certificate)
      try await TestServer.open(listener) { room in
        let client = try await room.owner()
        try await Self.expectDrop(
          of: client.token ?? "", in: room, .init(transport: .tls, address: "\(room.port)"),
          unread: 224, by: StreamEnding.ask(client, .DELETE, "/api/v1/sessions/current"))
      }
    }
  }

  /// Expects that `action` drops a client that leaves `unread` KiB of events unread.
  private static func expectDrop(
    of token: String, in room: TestServer, _ reader: StuckReader, unread: Int,
    by action: StreamEnding.Action
  ) async throws {
    let listener = try await room.logIn("ann@example.org")
    let isDropped = try await reader.isDropped(
      String(buffer: room.listening(token)), readingTo: "event: snapshot"
    ) {
      try await room.publish(kibibytes: unread, to: listener)
      try await action()
    }
    #expect(isDropped)
    #expect(await eventually { room.streams.count == 0 })
  }

  @Test(
    "stops the controller although a client reads nothing",
    .timeLimit(.minutes(2)))
  func stuckAtStop() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let token = try await room.owner().token ?? ""
      try await Self.expectDrop(
        of: token, in: room, .init(transport: .port, address: "\(room.port)"), unread: 480
      ) { await room.services.triggerGracefulShutdown() }
    }
  }

  @Test(
    "F5 · stops the controller although a client sends much and reads nothing",
    .timeLimit(.minutes(2)))
  func stuckAnswersAtStop() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let ask = "GET /api/v1/validation/blocklist HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r\n\r\n"
      let isDropped = try await StuckReader(transport: .port, address: "\(room.port)").isDropped(
        String(repeating: ask, count: 60), readingTo: "HTTP/1.1 200"
      ) { await room.services.triggerGracefulShutdown() }
      #expect(isDropped)
    }
  }
}
