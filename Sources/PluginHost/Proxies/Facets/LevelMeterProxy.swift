import Devices
import PluginProtocol
import Synchronization

/// The levels of a plugin's amplifier.
struct LevelMeterProxy: LevelMeter {
  /// The amplifier.
  let device: DeviceProxy

  func setLevelReceiver(_ receive: (@Sendable (SoundLevels) -> Void)?) {
    device.state.withLock { $0.levelReceiver = receive }
    device.updateMetering()
  }
}
