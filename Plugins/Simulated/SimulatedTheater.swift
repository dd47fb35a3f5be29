import Devices
import Glibc
import InMemoryDevices
import Platform
import PluginKit

/// The plugin: eight simulated devices, any number of each, in one process.
///
/// - Parameters:
///   - clock: The clock for everything that takes time.
///   - endProcess: Called by the fault `dies`.
package func simulatedTheater(
  clock: any TheaterClock = SystemClock(),
  endProcess: @escaping @Sendable () -> Void = { _exit(70) }
) -> Plugin {
  func maker<Device: PluginDevice>(
    _ make: @escaping @Sendable (Simulation) throws(DeviceError) -> Device
  ) -> DeviceMaker {
    DeviceMaker { (context) throws(DeviceError) in
      try make(
        Simulation(
          context, commands: Device.Command.specs, clock: clock, endProcess: endProcess))
    }
  }
  func appliance<Model: DeviceModel>(
    _ make: @escaping @Sendable (Simulation) throws(DeviceError) -> Model
  ) -> DeviceMaker {
    maker { (simulation) throws(DeviceError) in ModelDevice(simulation, try make(simulation)) }
  }
  return Plugin(
    id: "Simulated", version: "1.0.0",
    devices: [
      appliance(LightsModel.init), appliance(ScreenModel.init), appliance(ProjectorModel.init),
      appliance(PopcornPopperModel.init), maker(AmplifierSimulation.init),
      maker(PlayerSimulation.init(radio:)), maker(PlayerSimulation.init(dvd:)),
      maker(PlayerSimulation.init(cd:)),
    ])
}
