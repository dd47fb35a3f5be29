import CMosquitto
import Devices
import Platform
import PluginKit

/// Controls devices that speak MQTT: lights, screens, popcorn poppers, and the power of projectors and
/// amplifiers.
@main
struct MQTTDevicesPlugin {
  static func main() async { await plugin(Brokers()).run() }

  /// The plugin that the manifest describes.
  ///
  /// - Parameter brokers: The connections that its devices share.
  static func plugin(_ brokers: Brokers, clock: any TheaterClock = SystemClock()) -> Plugin {
    Plugin(
      id: "MQTTDevices", version: "1.0.0",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<LightsCommand>(context, brokers, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<ScreenCommand>(context, brokers, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<PopcornPopperCommand>(context, brokers, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<ProjectorCommand>(context, brokers, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try MQTTDevice<AmplifierCommand>(context, brokers, clock: clock)
        },
      ],
      selfCheck: { check })
  }

  private static var check: SelfCheck {
    guard let problem = MosquittoLibrary.problem else { return .passed }
    return .failed(problem, hint: MosquittoLibrary.hint)
  }
}
