import Accounts
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import TheaterAPI

/// The services that the routes call.
package struct APIServices: Sendable {
  /// Devices, scenes, activities, runs and the library.
  package let theater: HomeTheaterFacade
  /// Accounts, sessions, guest passes and the audit log.
  package let accountService: AccountService
  /// Plugins, sound devices and configuration, as `theater doctor` reads them.
  package let diagnostics: any Diagnostics
  /// Reads, checks and changes `devices.json`.
  package let configuration: any ConfigurationService
  /// Searches for devices; one search at a time.
  package let discovery: any DeviceDiscovery
  /// Keeps the secrets of devices.
  package let secrets: any SecretStore
  /// The address for browsers, such as `http://livingroom.local:8080`; `nil` if it is not known.
  package let webAddress: String?
  /// The certificate for browsers; `nil` without TLS.
  package let certificate: ServedCertificate?
  /// Bounds the number of open event streams.
  package let streams: EventStreamLimiter
  /// Bounds the bytes of answers that clients do not read.
  package let unreadAnswers: UnreadAnswerLimiter
  /// The room that each session has named last.
  let namedRooms = NamedRooms()
  let broadcaster: EventBroadcaster
  let keepAlives: KeepAliveTimer

  package init(
    theater: HomeTheaterFacade, accountService: AccountService, diagnostics: any Diagnostics,
    configuration: any ConfigurationService, discovery: any DeviceDiscovery,
    secrets: any SecretStore, webAddress: String? = nil, certificate: ServedCertificate? = nil,
    eventStreams: Int = EventStreamLimiter.standard,
    unreadAnswers: UnreadAnswerLimits = .standard
  ) {
    self.theater = theater
    self.accountService = accountService
    self.diagnostics = diagnostics
    self.configuration = configuration
    self.discovery = discovery
    self.secrets = secrets
    self.webAddress = webAddress
    self.certificate = certificate
    streams = EventStreamLimiter(most: eventStreams)
    self.unreadAnswers = UnreadAnswerLimiter(unreadAnswers)
    broadcaster = EventBroadcaster(
      theater: theater, configuration: configuration, unreadAnswers: self.unreadAnswers)
    keepAlives = KeepAliveTimer(clock: theater.clock)
  }
}

/// Plugins and sound devices, as the controller reports them.
package protocol Diagnostics: Sendable {
  /// Every plugin, as the component `Plugins` of the API.
  func plugins() async -> JSON
  /// The findings of `theater doctor`, as the component `DoctorReport` of the API.
  func doctor() async -> JSON
  /// The sound devices that the amplifier's plugin can use.
  func audioDevices() async throws -> JSON
}

/// A route of the contract with its implementation.
package struct BoundRoute: Sendable {
  /// The declaration in the contract.
  package let route: Route
  /// Whether the answer costs so little that the event loop of the connection may compute it.
  let isBrief: @Sendable () -> Bool
  let respond: @Sendable (RequestContext) async throws -> Response

  /// The methods that it answers: HEAD wherever GET is possible (RFC 9110, section 9.3.2).
  var methods: [HTTPRequest.Method] {
    switch route.method {
    case .get: [.get, .head]
    case .post: [.post]
    case .put: [.put]
    case .delete: [.delete]
    }
  }
}

extension APIServices {
  /// Every route of the contract. The `switch` of each group is exhaustive, so none can lack an
  /// implementation.
  package var routes: [BoundRoute] {
    bind { (endpoint: SessionEndpoint) in { try await respond(to: endpoint, $0) } }
      + bind { (endpoint: AccountEndpoint) in { try await respond(to: endpoint, $0) } }
      + bind { (endpoint: PeopleEndpoint) in { try await respond(to: endpoint, $0) } }
      + bind(
        brief: [.popcorn, .end, .off, .pause, .resume, .next, .previous, .seek, .volume],
        searching: [.startActivity, .watch, .listen, .radio]
      ) { (endpoint: PlaybackEndpoint) in
        { try await respond(to: endpoint, $0, in: namedRoom($0)) }
      }
      + bind(
        brief: [
          .endRoom, .roomOff, .pauseRoom, .resumeRoom, .nextInRoom, .previousInRoom, .seekInRoom,
          .roomVolume,
        ],
        searching: [
          .startRoomActivity, .watchInRoom, .listenInRoom, .radioInRoom, .runRoomScene,
        ]
      ) { (endpoint: RoomEndpoint) in { try await respond(to: endpoint, $0) } }
      + bind(brief: [.device, .sendCommand, .run], searching: [.runScene]) {
        (endpoint: DeviceEndpoint) in
        { try await respond(to: endpoint, $0, in: namedRoom($0)) }
      }
      + bind { (endpoint: SystemEndpoint) in { try await respond(to: endpoint, $0) } }
  }

  /// - Parameters:
  ///   - brief: The endpoints whose answer costs little.
  ///   - searching: The endpoints that search the library: they cost little while that is small.
  private func bind<Group: Endpoint & Hashable>(
    brief: Set<Group> = [], searching: Set<Group> = [],
    _ implementation: (Group) -> @Sendable (RequestContext) async throws -> Response
  ) -> [BoundRoute] {
    Group.allCases.map { endpoint -> BoundRoute in
      let (isBrief, isSearch) = (brief.contains(endpoint), searching.contains(endpoint))
      return BoundRoute(
        route: endpoint.route,
        isBrief: { [theater] in isBrief || isSearch && theater.hasSmallLibrary },
        respond: implementation(endpoint))
    }
  }
}
