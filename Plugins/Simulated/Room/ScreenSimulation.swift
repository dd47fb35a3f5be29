import Devices
import JSON
import PluginKit
import Synchronization

/// A screen on a motor: `travel` seconds from top to bottom; turns round where it is. With the
/// option `stop: false` its motor cannot stop on the way.
final class ScreenSimulation: PluginDevice {
  private let simulation: Simulation
  private let timer: DeviceTimer
  private let travel: Duration
  private let canStop: Bool
  private let state = Mutex(State())

  private struct State {
    /// How far down it was when the motion began: 0 is up, 1 is down.
    var from = 0.0
    var target = 0.0
    var started = Duration.zero
    /// When it arrives; `nil` while it stands.
    var arrives: Duration?

    func place(at now: Duration) -> Double {
      guard let arrives, arrives > started, now < arrives else { return target }
      return from + (target - from) * ((now - started) / (arrives - started))
    }
  }

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    timer = DeviceTimer(simulation.clock)
    travel = try simulation.time("travel", or: 6)
    canStop = try simulation.options.flag("stop", or: true)
  }

  func open() async throws(DeviceError) -> Capabilities {
    report(standingAt: 0)
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
    let moves = state.withLock { state in
      let place = state.place(at: now)
      state.from = place
      state.target = target
      state.started = now
      let way = abs(target - place)
      state.arrives = way > 0 && travel > .zero ? now + travel * way : nil
      return state.arrives != nil
    }
    if moves {
      simulation.report([.position: "moving"])
      timer.wake()
    } else {
      report(standingAt: target)
    }
  }

  private func stop() throws(DeviceError) {
    guard canStop else {
      throw DeviceError(
        .unsupported, "this screen cannot stop on its way", hint: "Use up or down.")
    }
    let now = simulation.clock.now()
    let place = state.withLock { state in
      let place = state.place(at: now)
      state.target = place
      state.arrives = nil
      return place
    }
    report(standingAt: place)
  }

  private func tick(_ now: Duration) -> Duration? {
    let (arrived, next): (Double?, Duration?) = state.withLock { state in
      guard let arrives = state.arrives else { return (nil, nil) }
      guard arrives <= now else { return (nil, arrives) }
      state.arrives = nil
      return (state.target, nil)
    }
    if let arrived { report(standingAt: arrived) }
    return next
  }

  private func report(standingAt place: Double) {
    let position =
      switch place {
      case 0: "up"
      case 1: "down"
      default: "stopped"
      }
    simulation.report(
      [.position: .string(position)],
      attributes: position != "stopped"
        ? [:]
        : [
          "lowered": Attribute(
            .integer(Int((place * 100).rounded())), unit: "%", label: "Lowered")
        ])
  }
}
