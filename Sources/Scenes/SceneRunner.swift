import Devices
import JSON

/// A step with its device and its finished command.
package struct PlannedStep: Sendable {
  package let device: any Device
  package let command: Command
  package let until: Completion
  package let onFailure: OnFailure
  package let always: Bool
  /// Whether the step sets a volume that must not be exceeded, and leaves a lower one as it is.
  package var isCeiling = false

  package init(
    device: any Device, command: Command, until: Completion, onFailure: OnFailure, always: Bool,
    isCeiling: Bool = false
  ) {
    self.device = device
    self.command = command
    self.until = until
    self.onFailure = onFailure
    self.always = always
    self.isCeiling = isCeiling
  }
}

/// Carries out planned steps, one after the other.
package struct SceneRunner: Sendable {
  package let clock: any TheaterClock

  package init(clock: any TheaterClock) { self.clock = clock }

  /// Runs every step; ends early when a step that matters fails, or when the run is cancelled.
  ///
  /// - Parameter perform: Gives a step's device its command.
  package func run(
    _ steps: [PlannedStep], as run: Run,
    perform: (PlannedStep) async throws(DeviceError) -> Confirmation
  ) async {
    for (index, step) in steps.enumerated() {
      if Task.isCancelled { return end(run, as: .cancelled, error: nil) }
      if await isTrueAlready(step) {
        run.update { $0.steps[index].status = .skipped }
        continue
      }
      let began = clock.now()
      run.update { $0.steps[index].status = .running }
      do {
        let confirmation = try await perform(step)
        run.update {
          $0.steps[index].status = confirmation == .observed ? .done : .accepted
          $0.steps[index].seconds = (clock.now() - began).seconds
        }
      } catch {
        let failure = TheaterError(error, device: step.device.id, step: index + 1)
        run.update {
          $0.steps[index].status = .failed
          $0.steps[index].error = failure
          $0.steps[index].seconds = (clock.now() - began).seconds
        }
        if Task.isCancelled { return end(run, as: .cancelled, error: nil) }
        if step.onFailure == .stop { return end(run, as: .failed, error: failure) }
      }
    }
    end(run, as: .done, error: nil)
  }

  private func end(_ run: Run, as status: RunReport.Status, error: TheaterError?) {
    run.update {
      $0.status = status
      $0.error = error
    }
  }

  /// Whether the device itself has reported that the step would change nothing.
  private func isTrueAlready(_ step: PlannedStep) async -> Bool {
    let spec = step.command.spec
    guard !step.always, spec.manner != .momentary else { return false }
    if step.isCeiling { return await isBelow(step) }
    switch spec.settled {
    case .accepted, .anyValue, .playback: return false
    case .value(let key, _), .argument(let key):
      let snapshot = await step.device.snapshot()
      guard snapshot.availability == .available,
        snapshot.state.readings[key]?.provenance == .reported
      else { return false }
      if case .argument = spec.settled, step.command.argument == nil { return false }
      return spec.settled.isMet(by: snapshot.state, argument: step.command.argument)
        && !Self.saysMore(step.command)
    }
  }

  /// Whether the amplifier is known to be no louder than the step's volume.
  private func isBelow(_ step: PlannedStep) async -> Bool {
    let snapshot = await step.device.snapshot()
    guard snapshot.availability == .available,
      let volume = snapshot.state.volume, let ceiling = step.command.argument?.integer
    else { return false }
    return volume <= ceiling
  }

  /// `{"fm": 98.5}` settles on the band but sets the frequency as well.
  private static func saysMore(_ command: Command) -> Bool {
    if case .value = command.spec.settled { return command.argument != nil }
    return false
  }
}
