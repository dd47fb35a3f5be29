import Devices
import Foundation
import HomeTheater
import Logging
import Platform
import PluginHost
import Synchronization
import TheaterConfiguration

/// A theater as a configuration describes it: its plugins as processes, their devices, its scenes, activities and
/// rooms.
///
/// It needs neither the program `theater` nor accounts: the caller says on whose behalf it acts.
///
/// ```swift
/// let theater = try ConfiguredTheater(file: "devices.json", pluginFolders: ["plugins"])
/// try await theater.run { facade in
///   let session = facade.session(for: .owner("ann"))
///   try await session.run("movie-night", with: ["film": "Night Ferry"])
/// }
/// ```
public final class ConfiguredTheater: Sendable {
  /// The theater as one object.
  public let facade: HomeTheaterFacade
  /// The warnings of the configuration, each with its place in the file.
  public let warnings: [ConfigurationIssue]
  private let plugins: PluginHost
  /// The folder for the sockets of plugins, which `run` makes and removes; `nil` if the caller does.
  private let ownFolder: SocketFolder?
  private let hasRun = Atomic(false)

  /// Reads a configuration and the manifests of its plugins. Nothing is started before `run`.
  ///
  /// - Parameters:
  ///   - path: The configuration: `devices.json`.
  ///   - pluginFolders: Folders with plugins, such as `~/.local/lib/theater/plugins` of an installed theater; they are
  ///     searched before those that the file names.
  ///   - secretFolder: The folder with the values of `{"secret": "name"}` in the file, one file each; `nil` for the
  ///     folder `secrets` beside the file.
  ///   - positions: The storage of the positions at which users left films and songs.
  ///   - logger: Receives messages for the owner; by default notices and graver ones go to the standard error.
  /// - Throws: All errors of the file, each with its line, JSON path and the expected value.
  public convenience init(
    file path: String, pluginFolders: [String] = [], secretFolder: String? = nil,
    positions: any PositionStore = InMemoryPositions(),
    logger: Logger = ConfiguredTheater.standardLogger
  ) throws(InvalidConfiguration) {
    let environment = ProcessInfo.processInfo.environment
    let beside = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/secrets"
    let loaded = try LoadedConfiguration(
      ConfigurationFile(path: path, home: environment["HOME"]), searching: pluginFolders,
      secrets: SecretFolders(credentials: nil, own: secretFolder ?? beside), checksFolders: true)
    let folder = SocketFolder(environment: environment)
    self.init(
      loaded,
      plugins: PluginHost(
        catalogue: loaded.catalogue, devices: loaded.hostedDevices, runtimeDirectory: folder.path,
        launcher: ProcessLauncher(environment: environment, logger: logger), logger: logger),
      ownFolder: folder, positions: positions, logger: logger)
  }

  /// The logger of a theater for which the caller names none.
  public static let standardLogger = {
    var logger = Logger(label: "theater")
    logger.logLevel = .notice
    return logger
  }()

  /// A theater over plugins that the caller runs.
  ///
  /// - Parameters:
  ///   - plugins: The host of the configuration's devices.
  ///   - activities: The storage of what is on, for the next start.
  ///   - limitStopped: Receives each stop because of an age limit.
  package init(
    _ loaded: LoadedConfiguration, plugins: PluginHost, ownFolder: SocketFolder? = nil,
    positions: any PositionStore, activities: any ActivityStore = NoActivityStore(),
    logger: Logger, limitStopped: @escaping @Sendable (LimitStop) async -> Void = { _ in }
  ) {
    self.plugins = plugins
    self.ownFolder = ownFolder
    warnings = loaded.configuration.warnings
    facade = HomeTheaterFacade(
      devices: plugins.devices, plan: loaded.configuration.plan, positions: positions,
      activities: activities, log: { logger.warning("\($0)") }, limitStopped: limitStopped)
  }

  /// Starts the plugins, waits until each device has answered or failed, and calls `body`. Then it saves positions,
  /// stops the players and ends the plugins; devices keep their power.
  ///
  /// When the task is cancelled, `body` is told, and the theater ends in the same way.
  ///
  /// - Throws: The error of `body`, or of the folder for the plugins' sockets; `notNow` when it is called again.
  public func run<Result: Sendable>(
    _ body: @Sendable (HomeTheaterFacade) async throws -> Result
  ) async throws -> Result {
    guard !hasRun.exchange(true, ordering: .relaxed) else {
      throw TheaterError(
        .notNow, "the theater has run already", hint: "Make another one from the same file.")
    }
    try ownFolder?.make()
    defer { ownFolder?.remove() }
    // No child tasks: a cancellation must not kill the plugins before their players have stopped.
    let hosting = Task { [plugins] in await plugins.run() }
    let result = await Swift.Result { try await observing(body) }
    await Task { await self.closeInTime() }.value
    await hosting.value
    return try result.get()
  }

  /// Calls `body` while the facade observes its devices.
  private func observing<Result: Sendable>(
    _ body: @Sendable (HomeTheaterFacade) async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [facade] in await facade.run() }
      defer { group.cancelAll() }
      await plugins.waitUntilSettled()
      try Task.checkCancellation()
      return try await body(facade)
    }
  }

  /// How long the end waits for players to stop and positions to be saved.
  private static let longestClosing = Duration.seconds(5)

  /// Closes the theater, and ends the plugins then, or earlier if one does not answer.
  private func closeInTime() async {
    let limit = Task { [plugins] in
      // A time limit: a plugin may never answer.
      try await Task.sleep(for: Self.longestClosing)
      plugins.stop()
    }
    await close()
    limit.cancel()
    plugins.stop()
  }

  /// Saves positions and stops playback; turns nothing off.
  package func close() async {
    await facade.shutDown()
    await PlayerShutdown.stopPlayback(of: Array(facade.devices.values))
  }

  /// Replaces the devices, scenes, activities, library and cables. Devices with an unchanged entry keep
  /// process, state and cable. Needs the permission `administer`.
  package func apply(
    _ loaded: LoadedConfiguration, by principal: Principal
  ) async throws(TheaterError) {
    await plugins.apply(loaded.hostedDevices, catalogue: loaded.catalogue)
    try await facade.apply(loaded.configuration.plan, devices: plugins.devices, by: principal)
  }
}

extension Result where Failure == any Error, Success: Sendable {
  /// The result of `body`, or the error that it throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
