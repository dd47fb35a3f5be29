import Devices
import Discovery
import MQTTClient
import TheaterConfiguration
import WebServer

/// The searches of the command and of the controller.
struct DiscoverySources: Sendable {
  /// The folders with plugins, of which the amplifier's lists mixers.
  let folders: [String]
  /// The home folder of the user.
  let home: String?
  /// The folder of the user's settings; `.config` in the home if `nil`.
  var settings: String?

  /// The longest time of all searches together: those in the network wait twice, folders and plugins have times
  /// of their own.
  static func limit(timeout: Duration) -> Duration { timeout * 2 + .seconds(10) }

  /// Returns the searches of these kinds, each once.
  ///
  /// - Parameters:
  ///   - broker: The MQTT broker; the one of this machine if `nil`.
  ///   - secret: The name of the secret with the broker's password; `mqtt` if `nil`.
  ///   - timeout: The time to wait for answers.
  func searches(
    _ kinds: [DiscoveryKind], broker: BrokerAddress?, secret: String? = nil, timeout: Duration
  ) -> [any DeviceSearch] {
    DiscoveryKind.allCases.filter(kinds.contains).map { kind -> any DeviceSearch in
      switch kind {
      case .projectors: PJLinkSearch(timeout: timeout)
      case .mqtt: MQTTSearch(broker: broker, secret: secret ?? "mqtt", timeout: timeout)
      case .sound: SoundSearch { await SoundListing.answer(folders: folders) }
      case .drives: DriveSearch()
      case .displays: DisplaySearch(environment: Console.environment)
      case .folders: FolderSearch(home: home, settings: settings)
      }
    }
  }
}

extension SecretFolders: SecretStore {
  package func saveSecret(_ text: String, as name: String) throws(TheaterError) {
    do throws(SecretError) {
      try save(text, as: name)
    } catch {
      throw TheaterError(
        TextRule.secretName.allows(name) ? .notNow : .invalid, error.message, hint: error.hint)
    }
  }
}

/// The searches of the controller for the API.
struct ControllerDiscovery: DeviceDiscovery {
  let sources: DiscoverySources
  let secrets: any SecretSource
  private let runner = DiscoveryRunner()

  init(sources: DiscoverySources, secrets: any SecretSource) {
    self.sources = sources
    self.secrets = secrets
  }

  func search(for request: DiscoveryRequest) async throws -> DiscoveryResult {
    try await runner.run(
      sources.searches(
        request.kinds, broker: try broker(request), secret: request.secret,
        timeout: request.timeout),
      within: DiscoverySources.limit(timeout: request.timeout))
  }

  /// Returns the broker with the password of the request's secret.
  private func broker(_ request: DiscoveryRequest) throws(TheaterError) -> BrokerAddress? {
    guard let broker = request.broker, let user = broker.user, let name = request.secret else {
      return request.broker
    }
    do throws(SecretError) {
      let password = try secrets.secret(name).reveal()
      return broker.with(user: user, password: password)
    } catch {
      throw TheaterError(.invalid, error.message, hint: error.hint)
    }
  }
}
