import APIClient
import AccountTestSupport
import Accounts
import Devices
import Discovery
import Foundation
import HomeTheater
import Hummingbird
import JSON
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Scenes
import ServiceLifecycle
import Storage
import Synchronization
import TestSupport
import TheaterAPI
import WebServer

/// A theater of devices in memory behind a real server on a Unix socket of its own, and on a port of
/// this machine where a test wants one.
struct TestServer: Sendable {
  static let password = "four friends at the movies"

  let clock: ManualClock
  /// The time of day, by which sessions expire.
  let accountClock: AccountClock
  let journal: CommandJournal
  let devices: [String: FakeDevice]
  let theater: HomeTheaterFacade
  let accountService: AccountService
  /// The messages to people.
  let sentMessages: SentMessages
  let configuration: FakeConfiguration
  let discovery: FakeDiscovery
  let secrets: FakeSecrets
  /// The controller's log.
  let log: RecordedLog
  let routes: [Route]
  let streams: EventStreamLimiter
  let unreadAnswers: UnreadAnswerLimiter
  /// The positions at which people left films.
  let positions: InMemoryPositions
  /// A client without a session.
  let stranger: TestClient
  let services: ServiceGroup
  /// The port; 0 where none was wanted.
  private(set) var port = 0

  /// Runs `body` while the server answers.
  ///
  /// - Parameters:
  ///   - listener: A further listener, on port 0.
  ///   - unreadAnswers: The bounds of unread answers.
  static func open(
    _ listener: Listener? = nil, unreadAnswers: UnreadAnswerLimits = .standard,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let socket = folder.path(of: "s")
    let (running, isRunning) = AsyncStream<Int>.makeStream()
    let listeners = [.socket(socket)] + (listener.map { [$0] } ?? [])
    var room = try TestServer(socket: socket, listeners, unreadAnswers) {
      isRunning.yield($0.localAddress?.port ?? 0)
    }
    let services = room.services
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { isRunning.finish() }
        try await services.run()
      }
      var open = 0
      for await port in running {
        open += 1
        room.port = max(room.port, port)
        if open == listeners.count { break }
      }
      // It ended before it listened: throws why.
      if open < listeners.count { try await group.next() }
      do {
        try await body(room)
      } catch {
        await services.triggerGracefulShutdown()
        throw error
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
    }
  }

  private init(
    socket: String, _ listeners: [Listener], _ unreadAnswers: UnreadAnswerLimits,
    onRunning: @escaping @Sendable (any Channel) -> Void
  ) throws {
    let clock = ManualClock()
    let accountClock = AccountClock()
    let journal = CommandJournal()
    let roles: [(String, Role)] = [
      ("amp", .amplifier), ("dvd", .dvdPlayer), ("cd", .cdPlayer), ("tuner", .tuner),
      ("lights", .lights), ("screen", .screen), ("projector", .projector),
      ("popper", .popcornPopper),
    ]
    let devices = roles.map { name, role in
      FakeDevice(DeviceID(name), role, journal: journal, clock: clock)
    }
    let positions = InMemoryPositions()
    let theater = HomeTheaterFacade(
      devices: devices, plan: Self.plan, positions: positions, clock: clock)
    let sentMessages = SentMessages()
    sentMessages.setChannels([.email])
    let accountService = AccountService(
      stores: try TheaterDatabase(inMemory: accountClock.wall).accountStores,
      hashing: Argon2Parameters(memoryKiB: 8, passes: 1, lanes: 1), delivery: sentMessages,
      clock: accountClock.wall, steady: accountClock.steady)
    let configuration = FakeConfiguration()
    let discovery = FakeDiscovery()
    let secrets = FakeSecrets()
    let remote = APIServices(
      theater: theater, accountService: accountService, diagnostics: FakeDiagnostics(),
      configuration: configuration, discovery: discovery, secrets: secrets,
      certificate: listeners.lazy.compactMap(\.certificate).first, unreadAnswers: unreadAnswers)
    let log = RecordedLog()
    let web = WebServer(remote, site: try StagedPage.site, logger: log.logger)
    let servers = try listeners.map { try web.server(on: $0) { onRunning($0) } }
    self.clock = clock
    self.accountClock = accountClock
    self.journal = journal
    self.devices = Dictionary(
      zip(roles.map(\.0), devices), uniquingKeysWith: { first, _ in first })
    self.theater = theater
    self.accountService = accountService
    self.sentMessages = sentMessages
    self.configuration = configuration
    self.discovery = discovery
    self.secrets = secrets
    self.log = log
    routes = remote.routes.map(\.route)
    streams = remote.streams
    self.unreadAnswers = remote.unreadAnswers
    self.positions = positions
    stranger = TestClient(.socket(socket))
    services = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [TheaterWork(theater: theater)] + servers, logger: log.logger))
  }

  /// The theater of the tests, as `devices.json` would describe it.
  private static var plan: TheaterPlan {
    func step(_ device: String, _ role: Role, _ json: JSON) -> Step? {
      guard let command = try? Command(json, role: role) else { return nil }
      return .command(CommandStep(device: DeviceID(device), command: .fixed(command)))
    }
    let play = Step.command(
      CommandStep(
        device: "dvd",
        command: .template(name: "play", argument: ["item": "$film"], role: .dvdPlayer)))
    let watch = [
      step("lights", .lights, ["dim": 10]), step("projector", .projector, "on"),
      step("amp", .amplifier, "on"), step("amp", .amplifier, ["volume": 50]),
      step("dvd", .dvdPlayer, "on"),
    ]
    let end = [step("dvd", .dvdPlayer, "stop"), step("amp", .amplifier, "off")]
    let pop = [step("popper", .popcornPopper, "pop")]
    return TheaterPlan(
      scenes: [
        "watch-film": Scene(
          name: "watch-film", parameters: ["film": .film], steps: watch.compactMap(\.self) + [play]),
        "end-film": Scene(name: "end-film", steps: end.compactMap(\.self)),
        "popcorn": Scene(name: "popcorn", steps: pop.compactMap(\.self)),
      ],
      activities: [
        "film": Activity(
          name: "film", label: Label(title: "Watch a film"), start: "watch-film", end: "end-film",
          player: "dvd",
          amplifier: "amp", category: .films)
      ],
      library: LibraryPlan(films: [
        LibraryItem(id: "metropolis", title: "Metropolis", duration: 9180),
        LibraryItem(id: "nosferatu", title: "Nosferatu", duration: 5640, rating: 16),
      ]))
  }
}

extension TestServer {
  /// Sends bytes as they are on a connection of their own, and gives back how the answer begins.
  func exchange(_ request: String) async throws -> String {
    guard case .socket(let path) = stranger.address else { throw Missing(what: "the socket") }
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(unixDomainSocketPath: path) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: request))
      for try await bytes in inbound { return String(buffer: bytes) }
      throw Missing(what: "an answer")
    }
  }

  /// Registers the owner and gives back a client with a session.
  func owner() async throws -> TestClient {
    guard let code = try await accountService.open() else { throw Missing(what: "the setup code") }
    let account = try await stranger.send(
      .POST, "/api/v1/accounts",
      [
        "setupCode": .string(code.text), "name": "Ann", "email": "ann@example.org",
        "password": .string(Self.password),
      ])
    guard account.status == 201 else { throw Missing(what: "the account: \(account.json)") }
    return try await logIn("ann@example.org")
  }

  /// Registers a member, invited by the owner.
  func member(invitedBy owner: TestClient) async throws -> TestClient {
    let invitation = try await owner.send(.POST, "/api/v1/invitations")
    let account = try await stranger.send(
      .POST, "/api/v1/accounts",
      [
        "invitation": invitation.json["code"] ?? .null, "name": "Ben",
        "email": "ben@example.org", "password": .string(Self.password),
      ])
    guard account.status == 201 else { throw Missing(what: "the account: \(account.json)") }
    return try await logIn("ben@example.org")
  }

  /// A guest pass for films, two days long unless said otherwise.
  func guestPass(
    from owner: TestClient, volume: Int = 40, validFor seconds: Int = 172_800
  ) async throws -> String {
    let answer = try await owner.send(
      .POST, "/api/v1/guests",
      ["activities": ["film"], "volumeLimit": .integer(volume), "validFor": .integer(seconds)])
    guard let code = answer.json["code"]?.string else { throw Missing(what: "the pass") }
    return code
  }

  /// A client with a guest's session.
  func logIn(withPass pass: String) async throws -> TestClient {
    let answer = try await stranger.send(
      .POST, "/api/v1/guests/sessions", ["pass": .string(pass)])
    guard let token = answer.json["token"]?.string else { throw Missing(what: "the token") }
    return TestClient(stranger.address, token: token)
  }

  /// A client with a session.
  func logIn(_ email: String) async throws -> TestClient {
    let answer = try await stranger.send(
      .POST, "/api/v1/sessions",
      ["email": .string(email), "password": .string(Self.password)])
    guard let token = answer.json["token"]?.string else { throw Missing(what: "the token") }
    return TestClient(stranger.address, token: token)
  }

  /// Something that a test needs is not there.
  struct Missing: Error {
    let what: String
  }
}

/// Runs the facade's background work beside the server.
private struct TheaterWork: Service {
  let theater: HomeTheaterFacade
  func run() async throws { await cancelWhenGracefulShutdown { await theater.run() } }
}

/// The diagnostics of the API, with the values that a test needs.
struct FakeDiagnostics: Diagnostics {
  /// A failure that the API does not know.
  struct Surprise: Error {
    let secret = "the key is under the mat"
  }

  func plugins() -> JSON {
    [
      "plugins": [
        [
          "id": "Simulated", "version": "1.0.0", "status": "running", "restarts": 0,
          "roles": ["lights", "screen"],
          "devices": ["lights", "screen"], "log": ["one", "two"], "message": "two",
        ]
      ]
    ]
  }
  func doctor() -> JSON {
    [
      "checks": [
        ["name": "controller", "status": "ok", "message": "it runs"],
        ["name": "disk", "status": "warning", "message": "it is full", "hint": "Make room."],
      ]
    ]
  }
  func audioDevices() throws -> JSON { throw Surprise() }
}

/// Searches that a test holds and ends. Only one runs at a time.
final class FakeDiscovery: DeviceDiscovery {
  private struct State {
    var requests: [DiscoveryRequest] = []
    var isHeld = false
    var cancelled = 0
  }
  private let state = Mutex(State())
  private let runner = DiscoveryRunner()

  /// The searches that were asked for.
  var requests: [DiscoveryRequest] { state.withLock { $0.requests } }
  /// The number of searches that were cancelled.
  var cancelled: Int { state.withLock { $0.cancelled } }
  /// Lets the next searches wait until this is called with `false`, or until they are cancelled.
  func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

  func search(for request: DiscoveryRequest) async throws -> DiscoveryResult {
    state.withLock { $0.requests.append(request) }
    return try await runner.run([HeldSearch(owner: self)], within: .seconds(3600))
  }

  private struct HeldSearch: DeviceSearch {
    let owner: FakeDiscovery
    let kind = DiscoveryKind.projectors

    func run() async -> DiscoveryResult {
      while !Task.isCancelled, owner.state.withLock({ $0.isHeld }) {
        try? await Task.sleep(for: .milliseconds(2))
      }
      if Task.isCancelled { owner.state.withLock { $0.cancelled += 1 } }
      let finding = DiscoveryFinding(
        .projectors, id: "pjlink:192.0.2.20", title: "Projector", place: "attic",
        roles: [.projector], plugin: "PJLinkProjector", options: ["host": "192.0.2.20"],
        notes: ["It is warm."])
      return DiscoveryResult(findings: [finding], problems: ["mqtt: no broker"])
    }
  }
}

/// Keeps secrets in memory.
final class FakeSecrets: SecretStore {
  private let state = Mutex<[String: String]>([:])
  /// The saved texts by their names.
  var texts: [String: String] { state.withLock { $0 } }

  func saveSecret(_ text: String, as name: String) throws(TheaterError) {
    guard name != "refused" else {
      throw TheaterError(
        .notNow, "the secret comes from the service manager", hint: "Change it there.")
    }
    state.withLock { $0[name] = text }
  }
}

/// A configuration service whose answers a test chooses.
final class FakeConfiguration: ConfigurationService {
  private struct State {
    var choices: [PluginChoice] = []
    var failure: TheaterError?
    var refusedEdit: JSON?
    var text = Array("{}".utf8)
  }
  private let state = Mutex(State())

  /// The plugins that devices were given.
  var choices: [PluginChoice] { state.withLock { $0.choices } }
  /// Makes every swap fail.
  func fail(with error: TheaterError) { state.withLock { $0.failure = error } }
  /// Has this refused edit from now on.
  func refuse(_ edit: JSON?) { state.withLock { $0.refusedEdit = edit } }

  var refusedEdit: JSON? { state.withLock { $0.refusedEdit } }

  func text() -> [UInt8] { state.withLock { $0.text } }

  /// A text that contains `bad` has a mistake.
  func save(
    _ text: [UInt8], replacing isBase: @escaping @Sendable ([UInt8]) -> Bool,
    by principal: Principal
  ) throws(TheaterError) -> JSONObject {
    let isReplaced = state.withLock { state in
      guard isBase(state.text) else { return false }
      if !String(decoding: text, as: UTF8.self).contains("bad") { state.text = text }
      return true
    }
    guard isReplaced else { throw TheaterError(.notNow, "the file was edited meanwhile") }
    var problem = Self.problem("expected a role").object ?? [:]
    guard self.text() == text else {
      problem["severity"] = "error"
      problem["line"] = 1
      problem["path"] = "$.devices.amp"
      return ["problems": [.object(problem)]]
    }
    return [
      "problems": [.object(problem)],
      "changes": [["kind": "added", "section": "devices", "name": "x", "keys": [], "live": true]],
    ]
  }

  func check(_ text: [UInt8]) -> JSON { ["problems": [Self.problem("\(text.count) bytes")]] }

  func differenceAnswer(to text: [UInt8]?) -> JSON {
    [
      "problems": [Self.problem(text.map { "\($0.count) bytes" } ?? "the file")],
      "changes": [
        ["kind": "changed", "section": "devices", "name": "amp", "keys": ["plugin"], "live": true]
      ],
    ]
  }

  func swapPlugin(
    of device: DeviceID, to choice: PluginChoice, by principal: Principal
  ) throws -> JSON {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.choices.append(choice)
    }
    return [
      "device": .string(device.name), "plugin": .string(choice.plugin),
      "saved": .bool(choice.isSaved), "changes": [],
    ]
  }

  private static func problem(_ message: String) -> JSON {
    [
      "kind": "test", "severity": "warning", "file": "devices.json", "message": .string(message),
    ]
  }
}

extension Route {
  /// Whether the body is a JSON value of a declared schema.
  var takesJSON: Bool { if case .json = body { true } else { false } }
}
