import Accounts
import Delivery
import Devices
import Glibc
import HomeTheater
import Hummingbird
import Logging
import NIOCore
import PluginHost
import ServiceLifecycle
import Storage
import TheaterConfiguration
import TheaterLoader
import TheaterStorage
import WebServer

/// The composition root of `theater serve`: it connects plugins, devices, facade, accounts and web
/// server.
struct Controller: Sendable {
  let store: ConfigurationFileStore
  /// The text of the configuration, and the configuration that it describes.
  let text: ConfigurationText
  let loaded: LoadedConfiguration
  let paths: ApplicationPaths
  let listening: ListenerConfiguration
  let logger: Logger

  /// Runs until a stop is requested; then saves positions, stops playback and ends the plugins, in less than 5 s
  /// whatever they do. Devices keep their power state.
  func run(until stop: StopRequest) async throws {
    let settings = DeviceSettingsCache()
    let plugins = makeHost(settings)
    stop.setCutOff { plugins.killAll() }
    // The plugins start while the database is opened.
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await plugins.run() }
      do {
        try await serve(plugins, settings, until: stop)
      } catch {
        plugins.stop()
        try await group.waitForAll()
        throw error
      }
      plugins.stop()
      try await group.waitForAll()
    }
  }

  private func makeHost(_ settings: DeviceSettingsCache) -> PluginHost {
    PluginHost(
      catalogue: loaded.catalogue, devices: loaded.hostedDevices, runtimeDirectory: paths.runtime,
      launcher: ProcessLauncher(environment: Environment.all, logger: logger), settings: settings,
      logger: logger)
  }

  private func serve(
    _ plugins: PluginHost, _ settings: DeviceSettingsCache, until stop: StopRequest
  ) async throws {
    let database = try openDatabase()
    defer { try? database.close() }
    let settingsService = DeviceSettingsService(
      cache: settings, store: database.deviceSettings, logger: logger)
    await settingsService.load(for: loaded.configuration.devices.map(\.id))
    let hashes = PasswordHasher.queue()
    let accountService = AccountService(
      stores: database.accountStores,
      policy: AccountPolicy(rules: loaded.configuration.accounts.rules), hashes: hashes,
      delivery: try makeDispatcher())
    let setupCode = try await Self.open(accountService)
    let configured = makeTheater(plugins, database, accountService)
    let theater = configured.facade
    let runtime = TheaterRuntime(
      loaded, from: text, in: store, target: configured, logger: logger)
    let certificate = try listening.certificate(paths)
    let report = StartReport(
      loaded: loaded, plugins: plugins, paths: paths, listening: listening,
      certificate: certificate, setupCode: setupCode?.text)
    var services: [any Service] = [
      TheaterService(theater: theater),
      HashingService(hashes: hashes, theater: theater),
      ConfigurationWatchService(runtime: runtime, path: store.name, logger: logger),
      settingsService,
      BackupService(backups: Backups(of: paths.state), logger: logger) {
        await theater.waitUntilIdle()
        // The end of the theater is no pause for a backup.
        if stop.isMade { try? await gracefulShutdown() }
      },
    ]
    services += try webServices(
      theater, accountService, runtime, plugins, report, certificate?.certificate)
    do {
      try await run(services, until: stop) {
        await runAtMost(Self.longestClosing) { await configured.close() }
        plugins.stop()
      }
    } catch {
      throw listenError(for: error)
    }
    await settingsService.write()
  }

  private func makeTheater(
    _ plugins: PluginHost, _ database: TheaterDatabase, _ accountService: AccountService
  ) -> ConfiguredTheater {
    ConfiguredTheater(
      loaded, plugins: plugins, positions: database.positions, activities: database.activities,
      logger: logger,
      limitStopped: {
        await accountService.recordLimitStop(
          of: "\($0.words) on \($0.player)", startedBy: $0.user)
      })
  }

  /// The servers, the renewal of their certificate, and the report of the start.
  private func webServices(
    _ theater: HomeTheaterFacade, _ accountService: AccountService, _ runtime: TheaterRuntime,
    _ plugins: PluginHost, _ report: StartReport, _ certificate: ServerCertificate?
  ) throws -> [any Service] {
    let listener = listening.listener(certificate)
    let web = WebServer(
      APIServices(
        theater: theater, accountService: accountService,
        diagnostics: ControllerDiagnostics(
          plugins: plugins, runtime: runtime,
          doctor: DoctorRuns(
            MachineCheck(configuration: store.name, plugins: store.plugins, paths: paths))),
        configuration: runtime, discovery: makeDiscovery(), secrets: paths.secretFolders,
        webAddress: listening.address,
        certificate: listener.certificate,
        eventStreams: listening.eventStreams),
      site: readSite(), logger: logger)
    warn(of: certificate)
    let ports = ListeningPorts(count: 2)
    let services: [any Service] = [
      try web.server(on: listener) { ports.opened($0) },
      try web.server(on: Listener.socket(paths.socket)) { ports.opened($0) },
      StartService(ports: ports, plugins: plugins, report: report),
    ]
    let renewal = listening.renewal(of: listener.certificate, paths, logger: logger) {
      await accountService.recordCertificate($0.fingerprint, replacing: $1)
    }
    return services + (renewal.map { [RenewalService(renewal: $0)] } ?? [])
  }

  private func makeDiscovery() -> ControllerDiscovery {
    ControllerDiscovery(
      sources: DiscoverySources(
        folders: store.plugins + paths.pluginFolders, home: paths.home, settings: paths.settings),
      secrets: paths.secretFolders)
  }

  /// How long the end of a stop waits for players to stop and positions to be saved.
  private static let longestClosing = Duration.seconds(1)

  /// Runs the services until a stop is requested, or until one fails.
  ///
  /// - Parameter close: Ends the theater, beside the end of the services: a request may wait for a plugin.
  private func run(
    _ services: [any Service], until stop: StopRequest,
    closing close: @escaping @Sendable () async -> Void
  ) async throws {
    var configuration = ServiceGroupConfiguration(
      services: services.map {
        .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
      }, logger: logger)
    // Requests that still wait then are cancelled.
    configuration.maximumGracefulShutdownDuration = .seconds(3)
    let group = ServiceGroup(configuration: configuration)
    let ending = Task {
      await stop.wait()
      await group.triggerGracefulShutdown()
      await close()
    }
    var failure: (any Error)?
    do { try await group.run() } catch { failure = error }
    stop.make()
    await ending.value
    // A service that a stop has cancelled may report that.
    if let failure, !stop.isSignalled { throw failure }
  }

  /// Reads the page's files. If they are unusable, logs a warning and returns `nil`, because the
  /// terminal works without the page.
  private func readSite() -> Site? {
    do {
      return try Site(folder: paths.site)
    } catch {
      logger.warning("browsers get no page: \(error)", metadata: ["folder": "\(paths.site)"])
      return nil
    }
  }

  private func makeDispatcher() throws(ExitError) -> MessageDispatcher {
    do {
      return try MessageDispatcher(loaded.configuration.accounts) { [logger] in
        logger.warning("\($0)")
      }
    } catch {
      throw ExitError(.failed, error.message, hint: error.hint)
    }
  }

  private func openDatabase() throws(ExitError) -> TheaterDatabase {
    do {
      return try TheaterDatabase(in: paths.state)
    } catch {
      throw ExitError(.failed, error.message, hint: error.hint)
    }
  }

  private static func open(_ accountService: AccountService) async throws -> EntryCode? {
    do {
      return try await accountService.open()
    } catch {
      throw ExitError(.failed, error.message, hint: error.hint)
    }
  }

  /// Logs warnings about plain HTTP and about the certificate.
  private func warn(of certificate: ServerCertificate?) {
    if listening.protection == .insecure {
      logger.warning(
        "plain HTTP on the network: everyone there can read passwords and take over sessions")
    }
    switch certificate?.validity() {
    case .notValid: logger.warning("the certificate is not valid now: renew it")
    case .endsSoon: logger.warning("the certificate ends soon: renew it")
    case .good, nil: break
    }
  }

  /// Explains why the controller cannot listen on its address.
  private func listenError(for error: any Error) -> any Error {
    let (host, port) = (listening.host, listening.port)
    if error is SocketAddressError.UnknownHost { return ExitError.notOurs(host) }
    guard let error = error as? IOError else { return error }
    switch error.errnoCode {
    case EADDRINUSE:
      return ExitError(
        .failed, "port \(port) of \(host) is in use by another program",
        hint: "Use another port: \(ProgramName.name) serve --port \(port == 8080 ? 8081 : 8080). "
          + "To see which program uses it: ss -ltnp 'sport = :\(port)'")
    case EACCES:
      return ExitError(
        .failed, "port \(port) needs more rights than this user has",
        hint: "Use a port from 1024 on: \(ProgramName.name) serve --port 8080")
    case EADDRNOTAVAIL: return ExitError.notOurs(host)
    default: return ExitError(.failed, "the controller cannot listen: \(error)")
    }
  }
}
