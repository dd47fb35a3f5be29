import Devices
import JSON
import Platform
import PluginKit
import Synchronization

/// A screen on a motor; the option `travel` is the time from top to bottom. It reverses at any
/// position. With the option `stop: false` its motor cannot stop on the way.
final class ScreenSimulation: PluginDevice {
  private let simulation: Simulation
  private let timer: DeadlineTimer
  private let travel: Duration
  private let canStop: Bool
  private let state = Mutex(State())

  private struct State {
    /// The position at which the motion began: 0 is up, 1 is down.
    var from = 0.0
    var target = 0.0
    var started = Duration.zero
    /// The end of the motion; `nil` while it stands still.
    var arrives: Duration?

    func position(at now: Duration) -> Double {
      guard let arrives, arrives > started, now < arrives else { return target }
      return from + (target - from) * ((now - started) / (arrives - started))
    }
  }

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    timer = DeadlineTimer(simulation.clock)
    travel = try simulation.time("travel", or: 6)
    canStop = try simulation.options.flag("stop", or: true)
  }

  func open() async throws(DeviceError) -> Capabilities {
    reportPosition(0)
    if travel > .zero { timer.start { self.tick($0) } }
    return simulation.capabilities(canStop ? ["stop"] : [])
  }

  func close() async { await timer.stop() }

  func perform(_ command: ScreenCommand) async throws(DeviceError) {
    switch command {
    case .up: move(to: 0)
    case .down: move(to: 1)
    case .stop: try stop()
    }
  }

  private func move(to target: Double) {
    let now = simulation.clock.now()
    let (position, arrives) = state.withLock { state in
      let position = state.position(at: now)
      state.from = position
      state.target = target
      state.started = now
      let way = abs(target - position)
      state.arrives = way > 0 && travel > .zero ? now + travel * way : nil
      return (position, state.arrives)
    }
    if let arrives {
      var attributes = Simulation.progress(remaining: arrives - now, of: arrives - now)
      attributes["from"] = Self.percent(position, "From")
      attributes["towards"] = Self.percent(target, "Towards")
      simulation.report([.position: "moving"], attributes: attributes)
      timer.wake()
    } else {
      reportPosition(target)
    }
  }

  private func stop() throws(DeviceError) {
    guard canStop else {
      throw DeviceError(
        .unsupported, "this screen cannot stop on its way", hint: "Use up or down.")
    }
    let now = simulation.clock.now()
    let position = state.withLock { state in
      let position = state.position(at: now)
      state.target = position
      state.arrives = nil
      return position
    }
    reportPosition(position)
  }

  private func tick(_ now: Duration) -> Duration? {
    let (arrived, next): (Double?, Duration?) = state.withLock { state in
      guard let arrives = state.arrives else { return (nil, nil) }
      guard arrives <= now else { return (nil, arrives) }
      state.arrives = nil
      return (state.target, nil)
    }
    if let arrived { reportPosition(arrived) }
    return next
  }

  private func reportPosition(_ position: Double) {
    let name =
      switch position {
      case 0: "up"
      case 1: "down"
      default: "stopped"
      }
    simulation.report(
      [.position: .string(name)],
      attributes: name == "stopped" ? ["lowered": Self.percent(position, "Lowered")] : [:])
  }

  /// A position as an attribute: 0 % is up, 100 % is down.
  private static func percent(_ position: Double, _ label: String) -> Attribute {
    Attribute(.integer(Int((position * 100).rounded())), unit: "%", label: label)
  }
}
