import Devices
import JSON
import Scenes

/// Two amplifiers in a row: a player is heard at the last one, such as a receiver behind a sound card.
///
/// The first one runs at the level of the cable between them; volume, mute and input of an activity are those of the
/// last one.
extension TheaterPlan {
  /// The cable from an amplifier to another one; `nil` for a last amplifier.
  func chain(from amplifier: DeviceID) -> CableEdge? {
    cables.first { $0.from == amplifier && $0.level != nil }
  }

  /// The amplifier at which the sound of this one is heard.
  package func lastAmplifier(from amplifier: DeviceID) -> DeviceID {
    chain(from: amplifier)?.to ?? amplifier
  }

  /// The amplifier at which a player is heard; `nil` without a cable.
  package func amplifier(of player: DeviceID) -> DeviceID? {
    cables.first { $0.from == player }.map { lastAmplifier(from: $0.to) }
  }

  /// Returns the plan whose scenes also choose the inputs of the last amplifiers.
  ///
  /// Where a scene chooses an input of a first amplifier, the last one gets the input of the cable between them, right
  /// after its `on`; not if the scene chooses an input of the last one itself, or turns it off.
  package func choosingChainInputs() -> TheaterPlan {
    var plan = self
    for chain in cables where chain.level != nil {
      plan.scenes = plan.scenes.mapValues { scene in
        var scene = scene
        scene.steps = scene.steps.choosingInput(of: chain)
        return scene
      }
    }
    return plan
  }
}

extension [Step] {
  fileprivate func choosingInput(of chain: CableEdge) -> [Step] {
    let all = commandSteps
    func last(_ device: DeviceID, where condition: (StepCommand) -> Bool) -> Int? {
      all.lastIndex { $0.device == device && condition($0.command) }
    }
    guard let first = last(chain.from, where: \.choosesInput),
      last(chain.to, where: \.choosesInput) == nil,
      let command = try? Command(["input": .string(chain.input)], role: all[first].command.role)
    else { return self }
    let on = last(chain.to) { $0.fixed?.turnsOn == true }
    let off = last(chain.to) { $0.fixed.map { $0 == $0.role.off } ?? false }
    if let off, off > on ?? -1 { return self }
    // An amplifier that may be off, or on its way to on, may refuse the input.
    let isSurelyOn = on.map { all[$0].onFailure == .stop && all[$0].until == .settled } ?? false
    let step = CommandStep(
      device: chain.to, command: .fixed(command), onFailure: isSurelyOn ? .stop : .continue)
    var index = -1
    return mapSteps { present in
      index += 1
      let isPlace = index == (on ?? first)
      return isPlace ? .sequence([.command(present), .command(step)]) : .command(present)
    }
  }
}

extension StepCommand {
  fileprivate var choosesInput: Bool {
    switch self {
    case .fixed(let command): command.choosesInput
    case .template(let name, _, _): name == "input"
    }
  }

  fileprivate var role: Role {
    switch self {
    case .fixed(let command): command.role
    case .template(_, _, let role): role
    }
  }
}

extension Command {
  /// Whether the command chooses an input.
  var choosesInput: Bool { spec.settled == .argument(.input) }
}
