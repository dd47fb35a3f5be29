import Devices
import JSON
import PluginProtocol

/// What a device keeps when the process of its plugin ends.
struct DeviceMemory: Sendable {
  /// The keys whose values it keeps.
  var keys: Set<StateKey> = []
  /// The loudest volume, %, with which an amplifier turns on; restoring keeps to it.
  var loudestStart: Int?
}

extension DeviceCore {
  // MARK: Contact

  /// A new process is asked to open the device.
  mutating func willOpen() {
    contact = .opening
    beginReports()
  }

  /// The device is open and has reported how it found itself.
  ///
  /// - Parameters:
  ///   - memory: What the device keeps without its process.
  ///   - nextRequest: Makes ids for requests.
  mutating func opened(
    _ capabilities: Capabilities, memory: DeviceMemory,
    nextRequest: @escaping @Sendable () -> Int, at now: Duration
  ) -> Effects {
    var effects = Effects()
    effects.hasChanged = true
    let isFirst = snapshot.generation == 0
    contact = .open
    self.memory = memory
    self.nextRequest = nextRequest
    snapshot.capabilities = capabilities.bounded(for: role)
    snapshot.availability = .available
    snapshot.generation += 1
    if isFirst {
      for (key, reading) in snapshot.state.readings where reading.provenance == .reported {
        wanted.report(reading.value, for: key, at: now)
      }
    } else {
      restore(at: now, &effects)
    }
    wasPlugged = false
    pump(at: now, &effects)
    return effects
  }

  private mutating func restore(at now: Duration, _ effects: inout Effects) {
    let commands = wanted.differences(
      from: snapshot.state, role: role, remembered: memory.keys,
      loudestStart: memory.loudestStart, lostAt: lostAt)
    for key in memory.keys {
      if let value = snapshot.state[key] { wanted.report(value, for: key, at: now) }
    }
    let split = commands.firstIndex { $0.spec.settled.key == .playback } ?? commands.endIndex
    for command in commands[..<split] { addRestoration(command) }
    guard split < commands.endIndex else { return }
    let needsCable = wasPlugged && snapshot.capabilities.cables.contains { $0 != .wired }
    playAfterPlug = (Array(commands[split...]), now + Self.longestWaitForPlug)
    if !needsCable { restorePlay(at: now, &effects) }
  }

  private mutating func addRestoration(_ command: Command) {
    _ = queue.add(QueuedCommand(command: command, origin: .restoration, callers: []))
  }

  /// The player has its cable.
  mutating func plugged(at now: Duration) -> Effects {
    var effects = Effects()
    wasPlugged = true
    restorePlay(at: now, &effects)
    return effects
  }

  /// Brings back what played.
  mutating func restorePlay(at now: Duration, _ effects: inout Effects) {
    guard let (commands, _) = playAfterPlug else { return }
    playAfterPlug = nil
    for command in commands { addRestoration(command) }
    pump(at: now, &effects)
  }

  /// The device cannot be reached.
  ///
  /// - Parameter reason: Why, and what is being done about it, in a person's words.
  mutating func lost(_ reason: String, at now: Duration) -> Effects {
    var effects = Effects()
    if contact == .open { lostAt = now }
    contact = .none
    snapshot.availability = .unavailable(reason)
    snapshot.state.forget()
    heldBack = nil
    playAfterPlug = nil
    effects.hasChanged = true
    let error = named(DeviceError(.unavailable, reason))
    for command in queue.removeAll() { effects.finish(command.callers, .failure(error)) }
    for waiter in waiters { effects.finished.append((waiter.caller, .failure(error))) }
    waiters = []
    return effects
  }
}
