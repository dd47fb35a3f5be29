import Devices
import HomeTheater
import JSON
import TheaterLoader

/// The parts of a running theater to which a configuration is applied.
protocol ConfigurationTarget: Sendable {
  /// Replaces the devices, scenes, activities, library and cables. Devices with an unchanged entry keep
  /// process, state and cable.
  func apply(_ loaded: LoadedConfiguration, by principal: Principal) async throws(TheaterError)
  /// Publishes an event `configuration` without a change of devices.
  func publish(_ event: JSON)
}

extension ConfiguredTheater: ConfigurationTarget {
  func publish(_ event: JSON) { facade.events.publish(.other(.configuration, event)) }
}
