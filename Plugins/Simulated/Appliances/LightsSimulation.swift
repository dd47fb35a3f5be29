import Devices
import JSON
import Platform
import PluginKit
import Synchronization

/// Lights that fade; the option `fade` is the time from 0 to 100 %.
final class LightsSimulation: PluginDevice {
  private let simulation: Simulation
  private let timer: DeadlineTimer
  private let fade: Duration
  private let state = Mutex(State())

  private struct State {
    var from = 0.0
    var target = 0
    var started = Duration.zero
    var ends = Duration.zero
    /// The time of the next report of a fade; real dimmers also report a few times a second.
    var nextReport: Duration?

    func brightness(at now: Duration) -> Double {
      guard now < ends, ends > started else { return Double(target) }
      return from + (Double(target) - from) * ((now - started) / (ends - started))
    }
  }
  private static let reportInterval = Duration.milliseconds(200)

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    timer = DeadlineTimer(simulation.clock)
    fade = try simulation.time("fade", or: 1.5)
  }

  func open() async throws(DeviceError) -> Capabilities {
    report(0, power: .off)
    if fade > .zero { timer.start { self.tick($0) } }
    return simulation.capabilities()
  }

  func close() async { await timer.stop() }

  func perform(_ command: LightsCommand) async throws(DeviceError) {
    switch command {
    case .on: startFade(to: 100)
    case .off: startFade(to: 0)
    case .dim(let brightness): startFade(to: brightness)
    }
  }

  private func startFade(to target: Int) {
    let now = simulation.clock.now()
    let brightness = state.withLock { state in
      let present = state.brightness(at: now)
      let way = abs(Double(target) - present) / 100
      state.from = present
      state.target = target
      state.started = now
      state.ends = now + fade * way
      state.nextReport = state.ends > now ? min(now + Self.reportInterval, state.ends) : nil
      return state.ends > now ? present : Double(target)
    }
    // Power is on as soon as the target is above 0 %, and off when a fade to 0 % has ended.
    report(Int(brightness.rounded()), power: target > 0 || brightness > 0 ? .on : .off)
    if fade > .zero { timer.wake() }
  }

  private func tick(_ now: Duration) -> Duration? {
    let (brightness, target, next): (Double?, Int, Duration?) = state.withLock { state in
      guard let due = state.nextReport else { return (nil, 0, nil) }
      guard due <= now else { return (nil, 0, due) }
      let next = now >= state.ends ? nil : min(now + Self.reportInterval, state.ends)
      state.nextReport = next
      return (state.brightness(at: now), state.target, next)
    }
    if let brightness {
      report(
        Int(brightness.rounded()), power: target > 0 || brightness > 0 ? .on : .off)
    }
    return next
  }

  private func report(_ brightness: Int, power: Power) {
    simulation.report([
      .power: .string(power.rawValue), .brightness: .integer(brightness),
    ])
  }
}
