import Devices
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The case about the effect of commands, as far as the role's table of commands makes it certain.
  package static let effects = [
    ConformanceCase(
      "after each accepted command, the device reports the settled state of the command", .settled,
      runsAlone: true,
      // The longest times of a projector's lamp are 180 s and 300 s.
      timeLimit: .seconds(900)
    ) { trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let opened = try OpenRequest.checked(await client.open("a", role).result)
        guard opened.reportsState else {
          throw NotApplicable.because("the device does not report its state")
        }
        let items = try await client.playableItems(of: "a", role.role)
        // The last command is `off`: the check leaves the device so.
        var isAnyAccepted = false
        let commands = role.role.sampleCommands(
          items: items, within: trial.target.restrictions)
        for json in commands {
          // The id of an item may be too long for the name of a station.
          guard let command = try? Command(json, role: role.role),
            command.spec.capability.map(opened.names.contains) ?? true
          else { continue }
          if try await client.expectEffect(of: command) { isAnyAccepted = true }
        }
        if !isAnyAccepted { throw NotApplicable.because("the device refuses every command") }
      }
    }
  ]
}

extension PluginClient {
  /// Gives the device `a` a command. If the device accepts it, waits for a report that shows the settled state.
  ///
  /// Reports before the command do not count, because a state that is there already is reported again.
  ///
  /// - Returns: Whether the device accepts it.
  fileprivate func expectEffect(of command: Command) async throws -> Bool {
    let (result, before) = try await perform("a", command.json)
    guard result.error == nil else { return false }
    guard command.spec.settled != .accepted else { return true }
    // Longer than the protocol allows, because the machine may be busy.
    let time = longestWait ?? command.spec.longest + Self.answerTimeout
    let deadline = ContinuousClock.now + time
    var state = DeviceState()
    for message in before where command.isSettled(by: message, in: &state) { return true }
    while let output = try await output(until: deadline) {
      switch output {
      case .message(let message): if command.isSettled(by: message, in: &state) { return true }
      case .invalidLine: continue
      case .closed: throw OutputWait(command.settledText, rule: .settled).endOfOutput
      }
    }
    let key = command.spec.settled.key
    let value = key.flatMap { key in state[key].map { "\"\(key.rawValue)\": \(text($0))" } }
    throw ConformanceFailure(
      "a report of \(command.settledText) after \(short(command.json.text())), within "
        + "\(JSON.number(command.spec.longest.seconds)) s of its answer",
      received: value ?? "no report of \"\(key?.rawValue ?? "")\"",
      advice: "report each change, also one that comes after the answer, or refuse the command",
      rule: .settled)
  }
}

extension Command {
  /// Adds a message to the state reported since the command was sent.
  ///
  /// - Returns: Whether the state shows the command as done.
  fileprivate func isSettled(by message: RPCMessage, in state: inout DeviceState) -> Bool {
    guard case .notification(StateNotification.method, let params) = message,
      let report = StateNotification(params: params)
    else { return false }
    for (key, value) in report.values {
      state.update(Reading(value, provenance: report.provenance, time: .zero), for: key)
    }
    return spec.settled.isMet(by: state, argument: argument)
  }

  /// The settled state for people: `"volume": 40`.
  fileprivate var settledText: String {
    switch spec.settled {
    case .accepted: "nothing"
    case .value(let key, let value): "\"\(key.rawValue)\": \(value.text())"
    case .anyValue(let key, let values):
      "\"\(key.rawValue)\": " + values.map { $0.text() }.joined(separator: " or ")
    case .argument(let key): "\"\(key.rawValue)\": \(text(argument))"
    case .playback(let statuses):
      "\"playback\" with the state " + statuses.map(\.rawValue).joined(separator: " or ")
        + (item.map { " and the item \(text(.string($0)))" } ?? "")
    }
  }
}
