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

  /// Returns the scene with the inputs of chains chosen: where it chooses an input of a first amplifier and none of the
  /// last one, the last one gets the input of the cable between them, right after its `on`.
  func choosingChainInputs(in scene: Scene) -> Scene {
    cables.filter { $0.level != nil }.reduce(scene) { scene, chain in
      var scene = scene
      scene.steps = scene.steps.choosingInput(of: chain)
      return scene
    }
  }
}

extension [Step] {
  fileprivate func choosingInput(of chain: CableEdge) -> [Step] {
    let all = commandSteps
    func choosesInput(_ device: DeviceID) -> Int? {
      all.lastIndex { $0.device == device && $0.command.fixed?.choosesInput == true }
    }
    guard let first = choosesInput(chain.from), choosesInput(chain.to) == nil,
      let role = all[first].command.fixed?.role,
      let command = try? Command(["input": .string(chain.input)], role: role)
    else { return self }
    let on = all.lastIndex { $0.device == chain.to && $0.command.fixed?.turnsOn == true }
    // Where the scene does not turn the last amplifier on, it may be off.
    let step = CommandStep(
      device: chain.to, command: .fixed(command), onFailure: on == nil ? .continue : .stop)
    var index = -1
    return mapSteps { present in
      index += 1
      let isPlace = index == (on ?? first)
      return isPlace ? .sequence([.command(present), .command(step)]) : .command(present)
    }
  }
}

extension Command {
  /// Whether the command chooses an input.
  var choosesInput: Bool { spec.settled == .argument(.input) }
}
