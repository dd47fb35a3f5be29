import Devices
import JSON
import Platform
import PluginKit
import Synchronization

/// A popcorn popper that pops one load at a time; the option `popTime` is the time of a load.
final class PopperSimulation: PluginDevice {
  private let simulation: Simulation
  private let timer: DeadlineTimer
  private let popTime: Duration
  private let state = Mutex(State())

  private struct State {
    var power = Power.off
    /// When the load is done.
    var done: Duration?
  }

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    timer = DeadlineTimer(simulation.clock)
    popTime = try simulation.time("popTime", or: 20)
  }

  func open() async throws(DeviceError) -> Capabilities {
    simulation.report([.power: "off", .popping: "idle"])
    if popTime > .zero { timer.start { self.tick($0) } }
    return simulation.capabilities()
  }

  func close() async { await timer.stop() }

  func perform(_ command: PopcornPopperCommand) async throws(DeviceError) {
    switch command {
    case .on:
      state.withLock { $0.power = .on }
      simulation.report([.power: "on"])
    case .off:
      state.withLock { $0 = State() }
      simulation.report([.power: "off", .popping: "idle"])
    case .pop: try pop()
    }
  }

  private func pop() throws(DeviceError) {
    let now = simulation.clock.now()
    let (power, done) = state.withLock { ($0.power, $0.done) }
    guard try simulation.acceptsCommand(at: power, of: "popper") else { return }
    if let done, done > now {
      throw DeviceError(
        .notNow, "a load is popping", hint: "Try again when it is done.", retryAfter: done - now)
    }
    simulation.report([.popping: "popping"])
    if popTime > .zero {
      state.withLock { $0.done = now + popTime }
      timer.wake()
    } else {
      simulation.report([.popping: "done"])
    }
  }

  private func tick(_ now: Duration) -> Duration? {
    let (isDone, next): (Bool, Duration?) = state.withLock { state in
      guard let done = state.done else { return (false, nil) }
      guard done <= now else { return (false, done) }
      state.done = nil
      return (true, nil)
    }
    if isDone { simulation.report([.popping: "done"]) }
    return next
  }
}
