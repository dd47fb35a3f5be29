import CSwresample
import Devices
import Glibc
import PluginKit

/// The amplifier on ALSA: `--self-check`, `--list-devices`, or the plugin's service.
@main enum ALSAAmplifierPlugin {
  /// The plugin as the controller sees it.
  static let plugin = Plugin(
    id: "ALSAAmplifier", version: "1.0.0",
    devices: [DeviceMaker { (context) throws(DeviceError) in try SoundAmplifier(context) }],
    selfCheck: { LibasoundSelfCheck.outcome })

  static func main() async {
    alsa_messages_ignore()
    if CommandLine.arguments.dropFirst().contains("--list-devices") {
      print(SoundDevices.listing)
      exit(0)
    }
    await plugin.run()
  }
}
