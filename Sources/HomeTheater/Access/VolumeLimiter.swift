import Devices
import Scenes

/// Limits the volumes of planned steps to a principal's volume limit.
struct VolumeLimiter {
  let directory: DeviceDirectory

  /// Returns the steps with no volume above the principal's limit. A louder amplifier is turned down
  /// right after a step that turns it on, right before a step that unmutes it, and before all steps if
  /// there is no such step.
  func limit(_ steps: [PlannedStep], for principal: Principal) -> [PlannedStep] {
    guard let limit = principal.volumeLimit,
      let lowered = try? AmplifierCommand.volume(limit).checked()
    else { return steps }
    func ceiling(_ amplifier: any Device, _ onFailure: OnFailure) -> PlannedStep {
      PlannedStep(
        device: amplifier, command: lowered, until: .accepted, onFailure: onFailure, always: false,
        isCeiling: true)
    }
    var limited = steps.flatMap { step in
      switch AmplifierCommand(step.command) {
      case .on?: [step, ceiling(step.device, .stop)]
      case .unmute?: [ceiling(step.device, .stop), step]
      case .volume(let volume)? where volume > limit: [step.with(lowered)]
      default: [step]
      }
    }
    for amplifier in directory.devices(with: .volume) {
      let own = steps.filter { $0.device.id == amplifier.id }
      // An amplifier that is off, or is turned off by the steps, may refuse; it is not heard then.
      let isHeardAfterwards = own.last.map { !$0.turnsAmplifierOff } ?? false
      guard !own.contains(where: \.makesAmplifierHeard),
        directory.snapshot(of: amplifier.id)?.state.volume.map({ $0 > limit }) ?? !own.isEmpty
      else { continue }
      limited.insert(ceiling(amplifier, isHeardAfterwards ? .stop : .continue), at: 0)
    }
    return limited
  }
}

extension PlannedStep {
  /// This step with another command.
  fileprivate func with(_ command: Command) -> PlannedStep {
    PlannedStep(
      device: device, command: command, until: until, onFailure: onFailure, always: always)
  }

  fileprivate var turnsAmplifierOff: Bool {
    if case .off? = AmplifierCommand(command) { true } else { false }
  }

  fileprivate var makesAmplifierHeard: Bool {
    switch AmplifierCommand(command) {
    case .on?, .unmute?: true
    default: false
    }
  }
}
