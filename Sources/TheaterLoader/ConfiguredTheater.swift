import Devices
import Foundation
import HomeTheater
import Logging
import Platform
import PluginHost
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
  private let ownFolder: String?

  /// Reads a configuration and the manifests of its plugins. Nothing is started before `run`.
  ///
  /// - Parameters:
  ///   - path: The configuration: `devices.json`.
  ///   - pluginFolders: Folders with plugins, such as `~/.local/lib/theater/plugins` of an installed theater; they are
  ///     searched before those that the file names.
  ///   - secretFolder: The folder with the values of `{"secret": "name"}` in the file, one file each.
  ///   - positions: The storage of the positions at which users left films and songs.
  ///   - logger: Receives messages for the owner; by default notices and graver ones go to the standard error.
  /// - Throws: All errors of the file, each with its line, JSON path and the expected value.
  public convenience init(
    file path: String, pluginFolders: [String] = [], secretFolder: String = "secrets",
    positions: any PositionStore = InMemoryPositions(),
    logger: Logger = ConfiguredTheater.standardLogger
  ) throws(InvalidConfiguration) {
    let environment = ProcessInfo.processInfo.environment
    let loaded = try LoadedConfiguration(
      ConfigurationFile(path: path, home: environment["HOME"]), searching: pluginFolders,
      secrets: SecretFolders(credentials: nil, own: secretFolder), checksFolders: true)
    // Short, because the path of a socket has at most 107 bytes.
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    let folder = "/tmp/theater-library-\(getpid())-\(number)"
    self.init(
      loaded,
      plugins: PluginHost(
        catalogue: loaded.catalogue, devices: loaded.hostedDevices, runtimeDirectory: folder,
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
    _ loaded: LoadedConfiguration, plugins: PluginHost, ownFolder: String? = nil,
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
  /// stops the players and ends the plugins; devices keep their power. Called once.
  ///
  /// The theater ends early when the task is cancelled.
  ///
  /// - Throws: The error of `body`, or of the folder for the plugins' sockets.
  public func run<Result: Sendable>(
    _ body: @Sendable (HomeTheaterFacade) async throws -> Result
  ) async throws -> Result {
    if let ownFolder {
      try FileManager.default.createDirectory(
        atPath: ownFolder, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    defer { if let ownFolder { try? FileManager.default.removeItem(atPath: ownFolder) } }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [plugins] in await plugins.run() }
      defer { group.cancelAll() }
      do {
        let result = try await observing(body)
        try await stopPlugins(&group)
        return result
      } catch {
        try await stopPlugins(&group)
        throw error
      }
    }
  }

  /// Calls `body` while the facade observes its devices.
  private func observing<Result: Sendable>(
    _ body: @Sendable (HomeTheaterFacade) async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [facade] in await facade.run() }
      defer { group.cancelAll() }
      await plugins.waitUntilSettled()
      do {
        let result = try await body(facade)
        await close()
        return result
      } catch {
        await close()
        throw error
      }
    }
  }

  private func stopPlugins(_ running: inout ThrowingTaskGroup<Void, any Error>) async throws {
    plugins.stop()
    try await running.waitForAll()
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
