import Devices
import JSON
import Platform
import PluginKit
import Synchronization

/// A projector whose lamp warms for the option `warmUp` and cools for `coolDown`. Meanwhile it refuses
/// other commands and states when it will accept them.
final class ProjectorSimulation: PluginDevice {
  private let simulation: Simulation
  private let timer: DeadlineTimer
  private let warmUp: Duration
  private let coolDown: Duration
  private let state = Mutex(State())

  private struct State {
    var power = Power.off
    var picture = "wideScreen"
    /// When warming or cooling ends.
    var ready: Duration?
  }

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    timer = DeadlineTimer(simulation.clock)
    warmUp = try simulation.time("warmUp", or: 5)
    coolDown = try simulation.time("coolDown", or: 8)
  }

  func open() async throws(DeviceError) -> Capabilities {
    simulation.report([.power: "off", .picture: "wideScreen"])
    if warmUp > .zero || coolDown > .zero { timer.start { self.tick($0) } }
    return simulation.capabilities()
  }

  func close() async { await timer.stop() }

  func perform(_ command: ProjectorCommand) async throws(DeviceError) {
    switch command {
    case .on: try changePower(from: .off, through: .warming, to: .on, taking: warmUp)
    case .off: try changePower(from: .on, through: .cooling, to: .off, taking: coolDown)
    case .tvMode: try setPicture("tv")
    case .wideScreenMode: try setPicture("wideScreen")
    }
  }

  private func changePower(
    from old: Power, through transition: Power, to new: Power, taking time: Duration
  ) throws(DeviceError) {
    let now = simulation.clock.now()
    let outcome: Result<Power, DeviceError> = state.withLock { state in
      if state.power == new || state.power == transition { return .success(state.power) }
      guard state.power == old else { return .failure(Self.busy(state.power, state.ready, now)) }
      state.power = time > .zero ? transition : new
      state.ready = time > .zero ? now + time : nil
      return .success(state.power)
    }
    let power = try outcome.get()
    let ready = state.withLock { $0.ready }
    simulation.report(
      [.power: .string(power.rawValue)],
      attributes: ready.map { Simulation.progress(remaining: $0 - now, of: time) } ?? [:])
    if power == transition { timer.wake() }
  }

  private func setPicture(_ picture: String) throws(DeviceError) {
    let now = simulation.clock.now()
    let (power, ready) = state.withLock { ($0.power, $0.ready) }
    if power == .warming || power == .cooling { throw Self.busy(power, ready, now) }
    guard try simulation.acceptsCommand(at: power, of: "projector") else { return }
    state.withLock { $0.picture = picture }
    simulation.report([.picture: .string(picture)])
  }

  private static func busy(_ power: Power, _ ready: Duration?, _ now: Duration) -> DeviceError {
    DeviceError(
      .notNow, "the lamp is \(power.rawValue)", hint: "Try again when it is done.",
      retryAfter: max(.zero, (ready ?? now) - now))
  }

  private func tick(_ now: Duration) -> Duration? {
    let (power, next): (Power?, Duration?) = state.withLock { state in
      guard let ready = state.ready else { return (nil, nil) }
      guard ready <= now else { return (nil, ready) }
      state.ready = nil
      state.power = state.power == .warming ? .on : .off
      return (state.power, nil)
    }
    if let power { simulation.report([.power: .string(power.rawValue)]) }
    return next
  }
}
