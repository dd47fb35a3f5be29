import Devices
import MQTTClient
import Platform
import PluginKit

/// The plugin that controls devices with MQTT: lights, screens, popcorn poppers, and the power of projectors and
/// amplifiers.
@main
struct MQTTDevicesPlugin {
  static func main() async { await plugin(BrokerConnectionPool()).run() }

  /// Makes the plugin that the manifest describes.
  ///
  /// - Parameter connectionPool: The connections that its devices share.
  static func plugin(
    _ connectionPool: BrokerConnectionPool, clock: any TheaterClock = SystemClock()
  ) -> Plugin {
    Plugin(
      id: "MQTTDevices", version: "1.0.0",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<LightsCommand>(context, connectionPool, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<ScreenCommand>(context, connectionPool, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<PopcornPopperCommand>(context, connectionPool, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<ProjectorCommand>(context, connectionPool, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<AmplifierCommand>(context, connectionPool, clock: clock)
        },
      ],
      selfCheck: { check })
  }

  private static var check: SelfCheck {
    guard let problem = MosquittoLibrary.problem else { return .passed }
    return .failed(problem, hint: MosquittoLibrary.hint)
  }
}
