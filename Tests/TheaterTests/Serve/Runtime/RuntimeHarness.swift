import Devices
import Foundation
import HomeTheater
import JSON
import Logging
import PluginHost
import Synchronization
import TestSupport
import TheaterConfiguration
import Testing
import TheaterLoader

@testable import theater

/// A runtime whose file, plugins and devices are in memory.
struct RuntimeHarness {
  let store: MemoryStore
  let target: MemoryTheater
  let runtime: TheaterRuntime
  let log = RecordedLog()

  static let administrator = Principal(
    user: nil, permissions: [.administer], activities: nil, volumeLimit: nil, ageLimit: nil)

  /// Starts with this text, which must be valid.
  init(_ text: String = Self.text()) throws {
    store = try MemoryStore(text)
    let loaded = try store.validate(store.read())
    target = MemoryTheater(loaded)
    runtime = TheaterRuntime(
      loaded, from: try ConfigurationText(store.read()), in: store, target: target,
      logger: log.logger)
  }

  /// A small `devices.json`.
  static func text(
    amp: String = #""plugin": "ALSAAmplifier", "options": {"device": "default"}"#,
    lights: String = #""plugin": "Simulated""#, more: String = ""
  ) -> String {
    """
    {
      "devices": {
        "amp": {"role": "amplifier", \(amp)},
        "cd": {"role": "cdPlayer", "plugin": "Simulated"},
        "lights": {"role": "lights", \(lights)}
      },
      "cables": [{"from": "cd", "to": "amp", "input": "cd"}],
      "scenes": {"dim": {"steps": [{"lights": {"dim": 10}}]}}\(more)
    }
    """
  }

  /// Edits the file and has it read.
  func edit(_ text: String) async {
    store.text = Array(text.utf8)
    await runtime.reload()
  }

  /// The plugin of a device in the configuration in force.
  func plugin(_ device: DeviceID) async -> String? {
    await runtime.current.configuration[device]?.plugin
  }
}

/// A file in memory, with the plugins of the repository.
final class MemoryStore: ConfigurationStore {
  private struct State {
    var text: [UInt8]
    var writes: [[UInt8]] = []
    var failure: TheaterError?
    var readFailure: InvalidConfiguration?
  }
  let name = "devices.json"
  let catalogue: PluginCatalogue
  private let plugins: KnownPlugins
  private let state: Mutex<State>

  init(_ text: String) throws {
    catalogue = PluginCatalogue(
      folders: [Program.project.appendingPathComponent("Plugins").path])
    try #require(catalogue.problems.isEmpty && !catalogue.plugins.isEmpty)
    plugins = KnownPlugins(catalogue)
    state = Mutex(State(text: Array(text.utf8)))
  }

  /// The text, as an editor sees and writes it.
  var text: [UInt8] {
    get { state.withLock { $0.text } }
    set { state.withLock { $0.text = newValue } }
  }
  /// The texts that were saved.
  var writes: [[UInt8]] { state.withLock { $0.writes } }
  /// Makes every save fail.
  func failWrites(with error: TheaterError) { state.withLock { $0.failure = error } }
  /// Makes every read fail with this message.
  func failReads(with message: String) {
    let issue = ConfigurationIssue(.file, file: name, position: nil, message: message)
    state.withLock { $0.readFailure = InvalidConfiguration([issue]) }
  }

  func read() throws(InvalidConfiguration) -> [UInt8] {
    if let failure = state.withLock({ $0.readFailure }) { throw failure }
    return text
  }

  func validate(_ text: [UInt8]) throws(InvalidConfiguration) -> LoadedConfiguration {
    let origin = PathOrigin(folder: "/etc/theater")
    let configuration = try TheaterConfiguration.read(
      text, named: name, from: origin, plugins: plugins,
      secrets: SecretFolders(credentials: nil, own: "/etc/theater/secrets"))
    return LoadedConfiguration(configuration, catalogue: catalogue, origin: origin)
  }

  func check(
    _ text: [UInt8], with current: LoadedConfiguration
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    try validate(text).configuration
  }

  func replace(_ old: [UInt8], with new: [UInt8]) throws(TheaterError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    state.withLock { state in
      state.text = new
      state.writes.append(new)
    }
  }
}

/// A facade over devices in memory. A device whose entry has changed stays the same object, as with the
/// plugin host.
final class MemoryTheater: ConfigurationTarget {
  private struct State {
    var hosted: [HostedDevice]
    var devices: [DeviceID: FakeDevice]
    var applied = 0
    var reopened: [DeviceID] = []
  }
  let facade: HomeTheaterFacade
  private let state: Mutex<State>

  init(_ loaded: LoadedConfiguration) {
    let hosted = loaded.hostedDevices
    let devices = Dictionary(
      hosted.map { ($0.id, FakeDevice($0.id, $0.role)) }, uniquingKeysWith: { first, _ in first })
    state = Mutex(State(hosted: hosted, devices: devices))
    facade = HomeTheaterFacade(
      devices: Array(devices.values), plan: loaded.configuration.plan, positions: NoPositions())
  }

  /// How often a configuration was applied.
  var applied: Int { state.withLock { $0.applied } }
  /// The devices whose entries have changed, newest last.
  var reopened: [DeviceID] { state.withLock { $0.reopened } }
  /// The devices that run.
  var hosted: [HostedDevice] { state.withLock { $0.hosted } }

  func apply(_ loaded: LoadedConfiguration, by principal: Principal) async throws(TheaterError) {
    let devices = state.withLock { state in
      let new = loaded.hostedDevices
      for device in new where !state.hosted.contains(device) { state.reopened.append(device.id) }
      var devices: [DeviceID: FakeDevice] = [:]
      for device in new {
        let old = state.devices[device.id].flatMap { $0.role == device.role ? $0 : nil }
        devices[device.id] = old ?? FakeDevice(device.id, device.role)
      }
      state.hosted = new
      state.devices = devices
      state.applied += 1
      return Array(devices.values)
    }
    // Others run in between: requests must not.
    await Task.yield()
    try await facade.apply(loaded.configuration.plan, devices: devices, by: principal)
  }

  func publish(_ event: JSON) { facade.events.publish(.other(.configuration, event)) }

  /// The data of all events `configuration`.
  var events: [JSON] {
    (facade.events.entries(after: 0) ?? []).filter { $0.event.name == .configuration }
      .map { $0.event.json(now: .zero) }
  }
}

private struct NoPositions: PositionStore {
  func save(_ seconds: Double, item: String, user: String) {}
  func position(item: String, user: String) -> Double? { nil }
  func clear(item: String, user: String) {}
}
