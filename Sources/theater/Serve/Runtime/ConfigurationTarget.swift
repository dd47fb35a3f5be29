import Devices
import HomeTheater
import JSON
import PluginHost
import TheaterConfiguration

/// The parts of a running theater to which a configuration is applied.
protocol ConfigurationTarget: Sendable {
  /// Replaces the devices, scenes, activities, library and cables. Devices with an unchanged entry keep
  /// process, state and cable.
  func apply(_ loaded: LoadedConfiguration, by principal: Principal) async throws(TheaterError)
  /// Publishes an event `configuration` without a change of devices.
  func publish(_ event: JSON)
}

/// The plugin host and the facade of the controller.
struct RunningTheater: ConfigurationTarget {
  let plugins: PluginHost
  let theater: HomeTheaterFacade

  func apply(_ loaded: LoadedConfiguration, by principal: Principal) async throws(TheaterError) {
    await plugins.apply(loaded.hostedDevices, catalogue: loaded.catalogue)
    try await theater.apply(loaded.configuration.plan, devices: plugins.devices, by: principal)
  }

  func publish(_ event: JSON) { theater.events.publish(.other(.configuration, event)) }
}
