import Devices
import JSON
import Platform
import PluginProtocol

/// The life cycle of one plugin process: a value that turns inputs into actions.
///
/// It starts nothing, waits for nothing and knows no clock: each input comes with its time, and the
/// action `wake` requests the next tick.
package struct Supervision: Sendable {
  /// The present phase; each change of it is also an action `announce`.
  package private(set) var phase = Phase.discovered
  /// The number of its restarts.
  package private(set) var restarts = 0
  let plugin: String
  /// The devices that the process is to serve.
  private(set) var devices: [DeviceID]
  private var retryDelay = RetryDelay()
  private var openings: DeviceOpenings
  private var liveness = LivenessMonitor()
  private var badLines = 0
  private var outputEndedAt: Duration?
  private var runningSince: Duration?
  /// Whether a device was opened since the last start. Then the next start needs no self-check.
  private var hasRunWell = false
  private var escalation: Escalation?
  private let random: @Sendable () -> Double

  /// The next step while the process is asked to end.
  private enum Escalation {
    case terminateAt(Duration)
    case killAt(Duration, thenWait: Duration)
    /// Killed; the kernel has not ended it, because it waits for a dead disk.
    case abandonAt(Duration)
  }

  /// - Parameters:
  ///   - plugin: The id that the process must give.
  ///   - devices: The devices to open; at least one.
  ///   - random: 0 to 1, for the jitter.
  package init(
    plugin: String, devices: [DeviceID],
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.plugin = plugin
    self.devices = devices
    self.random = random
    openings = DeviceOpenings(devices: devices)
  }

  /// Handles an input at `now` and returns the actions, in order.
  package mutating func handle(_ input: Input, at now: Duration) -> [Action] {
    switch input {
    case .start: return begin()
    case .fileChanged: return handleFileChange()
    case .spawned:
      guard phase == .spawned else { return [] }
      return [.initialize]
    case .spawnFailed(let message):
      return fail(Failure(.load, message), at: now)
    case .initialized(let answer): return handleInitialization(answer, at: now)
    case .initializeFailed(let failure):
      guard phase == .spawned else { return [] }
      return end(because: failure, at: now)
    case .opened(let device):
      openings.recordOpened(device)
      return updatePhase(at: now)
    case .refused(let device, let error):
      openings.recordRefused(device, error, at: now, random: random())
      return updatePhase(at: now)
    case .added(let devices): return add(devices)
    case .removed(let devices): return remove(devices, at: now)
    case .closed(let device):
      openings.recordClosed(device)
      return []
    case .closeFailed(let message): return handleFailedClose(Failure(.crash, message), at: now)
    case .badLine(let what): return countBadLine(what, at: now)
    case .complained(let message):
      return handleFailedSelfCheck(Failure(.selfCheck, message), at: now)
    case .outputEnded:
      // The first failure counts: each later attempt to send fails as well.
      let ended = outputEndedAt ?? now
      outputEndedAt = ended
      return [.wake(ended + Limits.graceOfExit)]
    case .tick(let lastLine, let hasOpenRequests):
      return tick(lastLine: lastLine, hasOpenRequests: hasOpenRequests, at: now)
    case .exited(let how): return handleExit(how, at: now)
    case .stop: return stop(at: now)
    }
  }

  // MARK: Coming up

  private mutating func begin() -> [Action] {
    switch phase {
    case .discovered, .failed: break
    default: return []
    }
    if phase != .discovered { restarts += 1 }
    badLines = 0
    outputEndedAt = nil
    runningSince = nil
    escalation = nil
    openings = DeviceOpenings(devices: devices)
    defer { hasRunWell = false }
    return enter(.spawned) + (hasRunWell ? [] : [.check]) + [.spawn]
  }

  private mutating func handleFileChange() -> [Action] {
    guard case .failed = phase else { return [] }
    retryDelay.reset()
    return begin()
  }

  private mutating func handleInitialization(_ answer: InitializeRequest.Answer, at now: Duration)
    -> [Action]
  {
    guard phase == .spawned else { return [] }
    guard answer.version.isCompatible(with: .current) else {
      let message =
        "it speaks version \(answer.version) of the plugin protocol, this controller "
        + "\(ProtocolVersion.current); install a plugin made for this version"
      return end(because: Failure(.version, message), at: now)
    }
    guard answer.plugin == plugin else {
      let message =
        "the program calls itself \"\(answer.plugin.boundedLine(maximumBytes: 64))\", "
        + "its manifest \(plugin)"
      return end(because: Failure(.version, message), at: now)
    }
    liveness = LivenessMonitor(from: now)
    return enter(.handshaken) + [.wake(now + Limits.pingInterval), .open(devices)]
  }

  /// Enters `configured` or `running` once the process has answered for all devices.
  private mutating func updatePhase(at now: Duration) -> [Action] {
    switch phase {
    case .handshaken, .configured, .running: break
    default: return []
    }
    var actions: [Action] = openings.nextRetry.map { [.wake($0)] } ?? []
    guard openings.areAnswered else { return actions }
    if phase == .handshaken { actions += enter(.configured) }
    if openings.hasOpen {
      runningSince = runningSince ?? now
      hasRunWell = true
      actions += enter(.running)
    } else {
      actions += enter(.configured)
    }
    return actions
  }

  /// Ends the process after a failed self-check, whose message is the best reason for the owner.
  private mutating func handleFailedSelfCheck(_ failure: Failure, at now: Duration) -> [Action] {
    // Its devices may have opened before the check ended. The next start is checked again.
    hasRunWell = false
    switch phase {
    case .spawned, .handshaken, .configured, .running: return end(because: failure, at: now)
    case .stopping(let cause?) where cause.cause == .crash: return enter(.stopping(failure))
    case .failed(let cause, let retryAt) where cause.cause == .crash || cause.cause == .load:
      return enter(.failed(failure, retryAt: retryAt))
    case .discovered, .stopping, .stopped, .failed: return []
    }
  }

  // MARK: Other devices

  private mutating func add(_ added: [DeviceID]) -> [Action] {
    devices += added
    switch phase {
    case .discovered, .spawned, .stopping:
      openings.request(added)
      return []
    case .handshaken, .configured, .running:
      openings.request(added)
      return [.open(added)]
    case .failed:
      // Its devices' options may have been the reason.
      retryDelay.reset()
      return begin()
    case .stopped:
      // Once more, for the devices that do not know it yet.
      return [.announce(.stopped)]
    }
  }

  /// A process that serves no device any more is ended.
  private mutating func remove(_ removed: [DeviceID], at now: Duration) -> [Action] {
    devices.removeAll(where: removed.contains)
    guard !devices.isEmpty else { return stop(at: now) }
    switch phase {
    case .discovered, .spawned, .failed, .stopped:
      openings.remove(removed)
      return []
    case .stopping:
      // It may hold them until it has ended.
      _ = openings.close(removed)
      return []
    case .handshaken, .configured, .running:
      let held = openings.close(removed)
      return (held.isEmpty ? [] : [.close(held)]) + updatePhase(at: now)
    }
  }

  /// A device that is not closed could block its successor, such as by a sound card that it holds.
  private mutating func handleFailedClose(_ failure: Failure, at now: Duration) -> [Action] {
    switch phase {
    case .handshaken, .configured, .running: end(because: failure, at: now)
    case .discovered, .spawned, .stopping, .stopped, .failed: []
    }
  }

  /// Whether the process has let go of all removed devices.
  package var hasReleased: Bool { devices.isEmpty ? phase == .stopped : !openings.isClosing }

  /// Whether the process is up and has answered for all devices, or is out.
  package var isSettled: Bool {
    switch phase {
    case .discovered, .spawned, .handshaken, .stopping: false
    case .configured, .running: openings.areAnswered
    case .stopped, .failed: true
    }
  }

  // MARK: Watching

  private mutating func countBadLine(_ what: String, at now: Duration) -> [Action] {
    switch phase {
    case .spawned, .handshaken, .configured, .running: break
    default: return []
    }
    badLines += 1
    guard badLines >= Limits.badLines else { return [] }
    return end(
      because: Failure(.crash, "it sent \(badLines) lines that are no messages; the last: \(what)"),
      at: now)
  }

  private mutating func tick(lastLine: Duration, hasOpenRequests: Bool, at now: Duration)
    -> [Action]
  {
    switch phase {
    case .discovered, .stopped: return []
    case .failed(_, let retryAt):
      guard let retryAt else { return [.wake(now + Limits.fileInterval)] }
      return now >= retryAt ? begin() : [.wake(retryAt)]
    case .stopping: return escalate(at: now)
    case .spawned, .handshaken, .configured, .running:
      guard let exitDue = outputEndedAt.map({ $0 + Limits.graceOfExit }) else {
        return watch(lastLine: lastLine, hasOpenRequests: hasOpenRequests, at: now)
      }
      guard now >= exitDue else {
        // An earlier tick has taken the place of the one that was asked for.
        return [.wake(exitDue)]
          + watch(lastLine: lastLine, hasOpenRequests: hasOpenRequests, at: now)
      }
      return end(because: Failure(.crash, "it closed its input or output"), at: now)
    }
  }

  /// Pings a silent process, and opens devices whose retry is due.
  private mutating func watch(lastLine: Duration, hasOpenRequests: Bool, at now: Duration)
    -> [Action]
  {
    // `initialize` has a deadline of its own.
    if phase == .spawned { return [] }
    if let since = runningSince, now - since >= Limits.healthy { retryDelay.reset() }
    switch liveness.check(lastLine: lastLine, hasOpenRequests: hasOpenRequests, at: now) {
    case .lost:
      return end(
        because: Failure(.crash, "it did not answer \(Limits.missedPings) pings"), at: now)
    case .ping(let next): return [.ping] + reopen(at: now) + [.wake(next)]
    case .wait(let next): return reopen(at: now) + [.wake(next)]
    }
  }

  private mutating func reopen(at now: Duration) -> [Action] {
    let due = openings.retryDue(at: now)
    return (due.isEmpty ? [] : [.open(due)]) + (openings.nextRetry.map { [.wake($0)] } ?? [])
  }

  // MARK: Going down

  private mutating func stop(at now: Duration) -> [Action] {
    switch phase {
    case .discovered, .failed: return enter(.stopped)
    case .stopped: return []
    case .stopping:
      // It is ending already; now it is not to be started again.
      return enter(.stopping(nil))
    default:
      escalation = .terminateAt(now + Limits.graceOfEnd)
      return enter(.stopping(nil)) + [.shutDown, .wake(now + Limits.graceOfEnd)]
    }
  }

  private mutating func end(because failure: Failure, at now: Duration) -> [Action] {
    escalation = .killAt(now + Limits.graceOfEnd, thenWait: Limits.graceOfEnd)
    return enter(.stopping(failure)) + [.terminate, .wake(now + Limits.graceOfEnd)]
  }

  private mutating func escalate(at now: Duration) -> [Action] {
    switch escalation {
    case .terminateAt(let time):
      guard now >= time else { return [.wake(time)] }
      let grace = Limits.graceOfTermination
      escalation = .killAt(now + grace, thenWait: grace)
      return [.terminate, .wake(now + grace)]
    case .killAt(let time, let wait):
      guard now >= time else { return [.wake(time)] }
      escalation = .abandonAt(now + wait)
      return [.kill, .wake(now + wait)]
    case .abandonAt(let time):
      guard now >= time else { return [.wake(time)] }
      escalation = nil
      return [.abandon]
    case nil: return []
    }
  }

  private mutating func handleExit(_ how: String, at now: Duration) -> [Action] {
    openings.recordProcessEnd()
    switch phase {
    case .discovered, .stopped, .failed: return []
    case .stopping(nil): return enter(.stopped)
    case .stopping(let failure?): return fail(failure, at: now)
    case .spawned: return fail(Failure(.crash, "it ended (\(how)) before it answered"), at: now)
    case .handshaken, .configured, .running:
      return fail(Failure(.crash, "it ended (\(how))"), at: now)
    }
  }

  private mutating func fail(_ failure: Failure, at now: Duration) -> [Action] {
    if let since = runningSince, now - since >= Limits.healthy { retryDelay.reset() }
    runningSince = nil
    escalation = nil
    switch failure.cause {
    case .version, .configuration:
      return enter(.failed(failure, retryAt: nil)) + [.wake(now + Limits.fileInterval)]
    case .load, .selfCheck, .crash:
      let retryAt = now + retryDelay.next(random: random())
      return enter(.failed(failure, retryAt: retryAt)) + [.wake(retryAt)]
    }
  }

  private mutating func enter(_ phase: Phase) -> [Action] {
    guard phase != self.phase else { return [] }
    self.phase = phase
    return [.announce(phase)]
  }
}
