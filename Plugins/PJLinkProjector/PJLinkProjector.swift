import Devices
import PluginKit

/// Controls projectors through PJLink over TCP.
@main
struct PJLinkProjector {
  static func main() async { await plugin.run() }

  /// The plugin that the manifest describes. It needs nothing of the machine, so its self-check passes.
  static var plugin: Plugin {
    Plugin(
      id: "PJLinkProjector", version: "1.0.0",
      devices: [DeviceMaker { (context) throws(DeviceError) in try NetworkProjector(context) }])
  }
}
