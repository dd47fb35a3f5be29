import Devices
import Glibc
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
  let factory = DeviceFactory(clock: clock, endProcess: endProcess)
  return Plugin(
    id: "Simulated", version: "1.0.0",
    devices: [
      factory.maker(LightsSimulation.init),
      factory.maker(ScreenSimulation.init),
      factory.maker(ProjectorSimulation.init),
      factory.maker(PopperSimulation.init),
      factory.maker(AmplifierSimulation.init),
      factory.maker(TunerSimulation.init),
      factory.maker(DVDPlayerSimulation.init),
      factory.maker(CDPlayerSimulation.init),
    ])
}

/// Makes simulated devices with the faults of their options.
private struct DeviceFactory {
  let clock: any TheaterClock
  let endProcess: @Sendable () -> Void

  func maker<Device: PluginDevice>(
    _ make: @escaping @Sendable (Simulation) throws(DeviceError) -> Device
  ) -> DeviceMaker {
    DeviceMaker { (context) throws(DeviceError) -> FaultyDevice<Device> in
      let options = OptionReader(context.options)
      let simulation = try Simulation(context: context, options: options, clock: clock)
      return FaultyDevice(
        try make(simulation), faults: try Faults(options, commands: Device.Command.specs),
        clock: clock, endProcess: endProcess)
    }
  }
}
