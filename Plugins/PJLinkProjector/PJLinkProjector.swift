import Devices
import Glibc
import Platform
import PluginKit

/// The plugin that controls projectors with PJLink over TCP.
@main
struct PJLinkProjector {
  static func main() async { await plugin.run() }

  /// The plugin that the manifest describes.
  static var plugin: Plugin {
    Plugin(
      id: "PJLinkProjector", version: "1.0.0",
      devices: [DeviceMaker { (context) throws(DeviceError) in try NetworkProjector(context) }],
      selfCheck: { check() })
  }

  /// Checks that this process may open network sockets. The plugin needs nothing else from the machine. Whether a
  /// projector answers is part of the state of its device, not of this check.
  ///
  /// - Parameter families: The address families to try; one that works is enough.
  static func check(_ families: [Int32] = [AF_INET, AF_INET6]) -> SelfCheck {
    var problem: SystemError?
    for family in families {
      let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      if descriptor >= 0 {
        close(descriptor)
        return .passed
      }
      problem = SystemError(errno)
    }
    return .failed(
      "no connection in the network can be opened: \(problem?.description ?? "no address family")",
      hint: "Allow AF_INET and AF_INET6: see RestrictAddressFamilies= in the systemd unit.")
  }
}
