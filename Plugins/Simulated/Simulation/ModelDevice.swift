import Devices
import InMemoryDevices
import Platform
import PluginKit
import Synchronization

/// A simulated device without sound: a model with its timer and its reports.
final class ModelDevice<Model: DeviceModel>: PluginDevice {
  private let simulation: Simulation
  private let model: Mutex<Model>
  private let timer: DeadlineTimer

  init(_ simulation: Simulation, _ model: Model) {
    self.simulation = simulation
    self.model = Mutex(model)
    timer = DeadlineTimer(simulation.clock)
  }

  func open() async throws(DeviceError) -> Capabilities {
    let names = model.withLock { model in
      simulation.report(ModelReport(model.values(at: simulation.clock.now())))
      return model.capabilities
    }
    timer.start { self.tick($0) }
    return simulation.capabilities(names)
  }

  func close() async { await timer.stop() }

  func perform(_ command: Model.Command) async throws(DeviceError) {
    try await simulation.faults.apply(to: command)
    let now = simulation.clock.now()
    let due = try model.withLock { (model) throws(DeviceError) in
      // While the model is locked, so that reports are sent in the order of their states.
      simulation.report(try model.perform(command, at: now))
      // What takes no time is reported before the answer.
      simulation.report(model.advance(to: now))
      return model.due
    }
    if let due { timer.wake(at: due) }
  }

  private func tick(_ now: Duration) -> Duration? {
    model.withLock { model in
      simulation.report(model.advance(to: now))
      return model.due
    }
  }
}

extension LightsModel {
  init(_ simulation: Simulation) throws(DeviceError) {
    self.init(fade: try simulation.time("fade", or: 1.5))
  }
}

extension ScreenModel {
  init(_ simulation: Simulation) throws(DeviceError) {
    self.init(
      travel: try simulation.time("travel", or: 6),
      canStop: try simulation.options.flag("stop", or: true))
  }
}

extension ProjectorModel {
  init(_ simulation: Simulation) throws(DeviceError) {
    self.init(
      warmUp: try simulation.time("warmUp", or: 5),
      coolDown: try simulation.time("coolDown", or: 8),
      whenOff: simulation.whenOff)
  }
}

extension PopcornPopperModel {
  init(_ simulation: Simulation) throws(DeviceError) {
    self.init(popTime: try simulation.time("popTime", or: 20), whenOff: simulation.whenOff)
  }
}
