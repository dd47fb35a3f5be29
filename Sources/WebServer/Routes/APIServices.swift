import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import TheaterAPI

/// What the routes work with.
package struct APIServices: Sendable {
  package let theater: HomeTheaterFacade
  package let accountService: AccountService
  /// Plugins, sound devices and configuration, as `theater doctor` reads them.
  package let diagnostics: any Diagnostics
  package let configuration: any ConfigurationService
  /// The address for browsers, such as `http://livingroom.local:8080`; `nil` if it is not known.
  package let webAddress: String?
  /// The certificate for browsers; `nil` without TLS.
  package let certificate: ShownCertificate?
  /// Bounds the number of open event streams.
  package let streams = EventStreamLimiter()

  package init(
    theater: HomeTheaterFacade, accountService: AccountService, diagnostics: any Diagnostics,
    configuration: any ConfigurationService, webAddress: String? = nil,
    certificate: ShownCertificate? = nil
  ) {
    self.theater = theater
    self.accountService = accountService
    self.diagnostics = diagnostics
    self.configuration = configuration
    self.webAddress = webAddress
    self.certificate = certificate
  }
}

/// Plugins and sound devices, as the controller reports them.
package protocol Diagnostics: Sendable {
  /// Every plugin, as the component `Plugins` of the API.
  func plugins() async -> JSON
  /// The sound devices that the amplifier's plugin can use.
  func audioDevices() async throws -> JSON
}

/// The configuration that the controller holds.
package protocol ConfigurationService: Sendable {
  /// The mistakes in another text, as the component `ConfigurationCheck` of the API.
  func check(_ text: [UInt8]) async -> JSON
  /// What differs between the file, or another text, and the configuration in force, as the component
  /// `ConfigurationDifference`.
  func differenceAnswer(to text: [UInt8]?) async -> JSON
  /// Gives a device another plugin; returns the component `PluginSwap`.
  func swapPlugin(
    of device: DeviceID, to choice: PluginChoice, by principal: Principal
  ) async throws -> JSON
  /// The newest edit of the file, as the component `RefusedEdit`; `nil` if the file is in force.
  var refusedEdit: JSON? { get async }
}

/// Another plugin for a device.
package struct PluginChoice: Sendable, Hashable {
  /// The plugin's id.
  package var plugin: String
  /// All options; `nil` for those of the file if it names this plugin, else for the defaults.
  package var options: JSONObject?
  /// The label of the process; `nil` for the one of the file.
  package var process: String?
  /// Whether the device's entry in the file is changed.
  package var isSaved: Bool

  package init(plugin: String, options: JSONObject?, process: String?, isSaved: Bool) {
    self.plugin = plugin
    self.options = options
    self.process = process
    self.isSaved = isSaved
  }
}

extension ConfigurationService {
  /// The status of the theater, with the file's refused edit for administrators.
  func status(
    of theater: HomeTheaterFacade, for principal: Principal
  ) async throws(TheaterError) -> JSON {
    let status = try await theater.status(for: principal)
    guard principal.permissions.contains(.administer), let refusedEdit = await refusedEdit,
      var object = status.object
    else { return status }
    object["configuration"] = refusedEdit
    return .object(object)
  }
}

/// A route of the contract with its implementation.
package struct BoundRoute: Sendable {
  package let route: Route
  let respond: @Sendable (RequestContext) async throws -> Response

  /// The methods that it answers: HEAD wherever GET is possible (RFC 9110, section 9.3.2).
  var methods: [HTTPRequest.Method] {
    switch route.method {
    case .get: [.get, .head]
    case .post: [.post]
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
      + bind { (endpoint: PlaybackEndpoint) in { try await respond(to: endpoint, $0) } }
      + bind { (endpoint: DeviceEndpoint) in { try await respond(to: endpoint, $0) } }
      + bind { (endpoint: SystemEndpoint) in { try await respond(to: endpoint, $0) } }
  }

  private func bind<Group: Endpoint>(
    _ implementation: (Group) -> @Sendable (RequestContext) async throws -> Response
  ) -> [BoundRoute] {
    Group.allCases.map { BoundRoute(route: $0.route, respond: implementation($0)) }
  }
}
