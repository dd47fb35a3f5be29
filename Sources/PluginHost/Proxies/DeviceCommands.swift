import Devices
import JSON
import PluginProtocol

extension DeviceCore {
  // MARK: Commands

  /// A person, a scene or a schedule gives a command.
  mutating func submit(_ command: Command, _ caller: CommandCaller, at now: Duration) -> Effects {
    var effects = Effects()
    if let refusal = refusal(of: command) {
      effects.finished.append((caller, .failure(refusal)))
      return effects
    }
    yieldRestoration(to: command.spec)
    let steps = queue.add(QueuedCommand(command: command, origin: .person, callers: [caller]))
    effects.cancel = steps.cancel
    for (dropped, error) in steps.dropped {
      effects.finish(dropped.callers, .failure(named(error)))
    }
    pump(at: now, &effects)
    return effects
  }

  private func refusal(of command: Command) -> DeviceError? {
    guard command.spec.role == role else {
      return named(
        DeviceError(
          .unsupported, "\"\(command.spec.name)\" is a command of the \(command.spec.role.title)",
          hint: "This is a \(role.title)."))
    }
    if case .unavailable(let reason) = snapshot.availability {
      return named(DeviceError(.unavailable, reason))
    }
    return contact == .open ? incapability(command.spec) : nil
  }

  private func incapability(_ spec: CommandSpec) -> DeviceError? {
    guard let capability = spec.capability, !snapshot.capabilities.names.contains(capability) else {
      return nil
    }
    return named(
      DeviceError(
        .unsupported, "this \(role.title) cannot \"\(spec.name)\"",
        hint: "Its plugin does not declare \"\(capability)\" for it."))
  }

  /// What a person decides now counts, not what was lost with the process.
  private mutating func yieldRestoration(to spec: CommandSpec) {
    guard playAfterPlug != nil || queue.isRestoring else { return }
    let isOff = spec.settled == .value(.power, "off")
    let key = spec.settled.key
    queue.dropRestoration { isOff || $0.settled.key == key }
    if isOff || key == .playback { playAfterPlug = nil }
  }

  /// A caller does not wait any more.
  mutating func abandon(_ number: Int, at now: Duration) -> Effects {
    var effects = Effects()
    let error = CommandCaller.Outcome.failure(
      named(DeviceError(.cancelled, "nobody waits for it any more")))
    if let (caller, cancel) = queue.abandon(number) {
      effects.cancel = cancel
      effects.finished.append((caller, error))
    } else if let index = waiters.firstIndex(where: { $0.caller.number == number }) {
      effects.finished.append((waiters.remove(at: index).caller, error))
    }
    pump(at: now, &effects)
    return effects
  }

  /// Sends the next command, if one may go.
  mutating func pump(at now: Duration, _ effects: inout Effects) {
    guard contact == .open else { return }
    while let next = queue.takeNext(at: now, reportsSeen: reports, request: nextRequest) {
      guard let request = next.request else { return }
      guard let error = incapability(next.spec) else {
        limit.expectReports()
        effects.send = Outgoing(request: request, command: next.command)
        return
      }
      // Given before the device was open and could be asked what it can do.
      _ = queue.takeUnderWay(request)
      effects.finish(next.callers, .failure(error))
    }
  }

  // MARK: Replies

  /// The plugin has answered the request, or the session has given it up.
  mutating func replied(_ request: Int, _ result: Result<Void, DeviceError>, at now: Duration)
    -> Effects
  {
    var effects = Effects()
    guard let command = queue.takeUnderWay(request) else { return effects }
    switch result {
    case .success: accepted(command, at: now, &effects)
    case .failure(let error): refused(command, error, at: now, &effects)
    }
    pump(at: now, &effects)
    return effects
  }

  private mutating func accepted(
    _ queued: QueuedCommand, at now: Duration, _ effects: inout Effects
  ) {
    let command = queued.command
    // The player's reports since then are newer than the command: the disc may have gone on.
    if !queued.wasSettled || queued.origin == .restoration { wanted.accept(command, at: now) }
    if !snapshot.capabilities.reportsState { assume(command, at: now, &effects) }
    supersede(command, by: queued.callers, at: now, &effects)
    let isObservable = snapshot.capabilities.reportsState && command.spec.settled != .accepted
    for caller in queued.callers {
      if caller.until == .accepted || !isObservable {
        effects.finished.append((caller, .success(.accepted)))
      } else if queued.wasSettled || command.isSettled(in: snapshot.state) {
        effects.finished.append((caller, .success(.observed)))
      } else {
        let deadline = now + command.spec.longest
        waiters.append(Waiter(caller: caller, command: command, deadline: deadline))
      }
    }
  }

  /// Those who wait for what a newer command has changed: a newer value of the same setting serves
  /// them as well, anything else has taken the place of theirs.
  private mutating func supersede(
    _ command: Command, by callers: [CommandCaller], at now: Duration, _ effects: inout Effects
  ) {
    guard !waiters.isEmpty else { return }
    var kept: [Waiter] = []
    for waiter in waiters {
      let other = waiter.command.spec
      if case .setting = other.manner, command.spec.manner == other.manner {
        let deadline = now + command.spec.longest
        kept.append(Waiter(caller: waiter.caller, command: command, deadline: deadline))
      } else if command.takesThePlace(of: waiter.command) {
        let error = DeviceError(.cancelled, "\"\(command.spec.name)\" took its place")
        effects.finished.append((waiter.caller, .failure(named(error))))
      } else {
        kept.append(waiter)
      }
    }
    waiters = kept
    settle(&effects)
  }

  private mutating func refused(
    _ queued: QueuedCommand, _ error: DeviceError, at now: Duration, _ effects: inout Effects
  ) {
    let error = named(error)
    if queued.isCancelled {
      let cancelled = DeviceError(.cancelled, "a newer command took its place", device: id)
      return effects.finish(queued.callers, .failure(cancelled))
    }
    if error.code == .notNow, let deadline = queued.deadline {
      // A report that crossed the refusal may be the very change that is waited for.
      let hasChanged = queued.reportsSeen != reports
      let retryAt = hasChanged ? now : error.retryAfter.map { now + max($0, .milliseconds(10)) }
      if retryAt != nil || snapshot.state.isInTransition, (retryAt ?? now) < deadline {
        return queue.hold(queued, until: retryAt)
      }
    }
    if queued.origin == .restoration {
      effects.warnings.append(
        "\(id): \"\(queued.command)\" could not be restored: \(error.message)")
    }
    effects.finish(queued.callers, .failure(error))
  }

  /// The device cannot tell: what was accepted is taken for true.
  private mutating func assume(_ command: Command, at now: Duration, _ effects: inout Effects) {
    let value: JSON? =
      switch command.spec.settled {
      case .value(_, let value): value
      case .anyValue(_, let values): values.first
      case .argument: command.argument
      case .playback, .accepted: nil
      }
    guard let value, let key = command.spec.settled.key else { return }
    snapshot.state.take(Reading(value, provenance: .assumed, time: now), for: key)
    effects.hasChanged = true
  }
}
