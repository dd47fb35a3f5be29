import Devices
import Glibc
import PluginKit

/// The plugin: eight simulated devices, any number of each, in one process.
///
/// - Parameters:
///   - clock: The time by which lamps warm and screens travel.
///   - die: What the fault `dies` does.
package func simulatedTheater(
  clock: any TheaterClock = SystemClock(), die: @escaping @Sendable () -> Void = { _exit(70) }
) -> Plugin {
  let workshop = Workshop(clock: clock, die: die)
  return Plugin(
    id: "Simulated", version: "1.0.0",
    devices: [
      workshop.maker(LightsSimulation.init),
      workshop.maker(ScreenSimulation.init),
      workshop.maker(ProjectorSimulation.init),
      workshop.maker(PopperSimulation.init),
      workshop.maker(AmplifierSimulation.init),
      workshop.maker(TunerSimulation.init),
      workshop.maker(DVDPlayerSimulation.init),
      workshop.maker(CDPlayerSimulation.init),
    ])
}

/// Makes simulated devices that fail as their options say.
private struct Workshop {
  let clock: any TheaterClock
  let die: @Sendable () -> Void

  func maker<Device: PluginDevice>(
    _ make: @escaping @Sendable (Simulation) throws(DeviceError) -> Device
  ) -> DeviceMaker {
    DeviceMaker { (context) throws(DeviceError) -> FaultyDevice<Device> in
      let options = SimulationOptions(context.options)
      let simulation = try Simulation(context: context, options: options, clock: clock)
      return FaultyDevice(
        try make(simulation), faults: try Faults(options, commands: Device.Command.specs),
        clock: clock, die: die)
    }
  }
}
