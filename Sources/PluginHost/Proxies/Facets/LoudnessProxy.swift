import Devices

/// The limit of the loudness of a plugin's amplifier.
struct LoudnessProxy: LoudnessLimited {
  /// The amplifier.
  let device: DeviceProxy

  func setLoudnessLimit(_ limit: Int?) {
    device.change { core, _ in core.setLoudnessLimit(limit) }
  }
}
