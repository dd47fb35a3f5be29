import Devices
import JSON
import Scenes

extension TheaterPlan {
  /// Returns a plan with the standard scenes and activities for eight devices, one of each
  /// role. The amplifier's inputs are named "dvd", "cd" and "tuner".
  static func standard(
    amp: any Amplifier, tuner: any Tuner, dvd: any DVDPlayer, cd: any CDPlayer,
    projector: any Projector, lights: any TheaterLights, screen: any Screen,
    popper: any PopcornPopper
  ) -> TheaterPlan {
    let steps = StandardSteps(
      amp: amp.id, tuner: tuner.id, dvd: dvd.id, cd: cd.id, projector: projector.id,
      lights: lights.id, screen: screen.id, popper: popper.id)
    let scenes = [
      Scene(
        name: "watch-film", title: "Watch a film", parameters: ["film": .film],
        steps: steps.watchFilm),
      Scene(name: "end-film", title: "End the film", steps: steps.endFilm),
      Scene(
        name: "listen-music", title: "Listen to music", parameters: ["song": .song],
        steps: steps.listenToMusic),
      Scene(name: "end-music", title: "End the music", steps: steps.endMusic),
      Scene(
        name: "listen-radio", title: "Listen to the radio", parameters: ["station": .station],
        steps: steps.listenToRadio),
      Scene(name: "end-radio", title: "End the radio", steps: steps.endRadio),
      Scene(name: "popcorn", title: "Popcorn", steps: steps.popcorn),
    ]
    let activities = [
      Activity(
        name: "film", label: Label(title: "Watch a film"), start: "watch-film", end: "end-film",
        player: dvd.id, amplifier: amp.id, category: .films, whenEnded: .end),
      Activity(
        name: "music", label: Label(title: "Listen to music"), start: "listen-music",
        end: "end-music",
        player: cd.id, amplifier: amp.id, category: .songs, whenEnded: .end),
      Activity(
        name: "radio", label: Label(title: "Listen to the radio"), start: "listen-radio",
        end: "end-radio",
        player: tuner.id, amplifier: amp.id, category: .stations, whenEnded: .stay),
    ]
    return TheaterPlan(
      scenes: Dictionary(uniqueKeysWithValues: scenes.map { ($0.name, $0) }),
      activities: Dictionary(uniqueKeysWithValues: activities.map { ($0.name, $0) }),
      cables: [
        CableEdge(from: dvd.id, to: amp.id, input: "dvd"),
        CableEdge(from: cd.id, to: amp.id, input: "cd"),
        CableEdge(from: tuner.id, to: amp.id, input: "tuner"),
      ])
  }
}

/// The steps of the standard scenes, in the order of requirements E12 to E14. Texts such as "$film"
/// name the parameters of the scenes.
private struct StandardSteps {
  let amp, tuner, dvd, cd, projector, lights, screen, popper: DeviceID

  var watchFilm: [Step] {
    [
      steps(popper, PopcornPopperCommand.on, .pop, onFailure: .continue),
      steps(lights, LightsCommand.dim(10), onFailure: .continue),
      steps(screen, ScreenCommand.down, until: .accepted),
      steps(projector, ProjectorCommand.on),
      steps(amp, AmplifierCommand.on, .input("dvd"), .surround, .volume(50)),
      steps(dvd, DVDPlayerCommand.on, .play(PlayRequest(item: "$film"))),
    ]
  }

  var endFilm: [Step] {
    [
      steps(popper, PopcornPopperCommand.off, onFailure: .continue),
      steps(lights, LightsCommand.on, onFailure: .continue),
      steps(screen, ScreenCommand.up, until: .accepted),
      steps(projector, ProjectorCommand.off, until: .accepted),
      steps(amp, AmplifierCommand.off),
      steps(dvd, DVDPlayerCommand.stop, .eject, .off),
    ]
  }

  var listenToMusic: [Step] {
    [
      steps(amp, AmplifierCommand.on, .input("cd"), .stereo),
      steps(cd, CDPlayerCommand.on, .play(PlayRequest(item: "$song"))),
    ]
  }

  var endMusic: [Step] {
    [steps(amp, AmplifierCommand.off), steps(cd, CDPlayerCommand.stop, .eject, .off)]
  }

  var listenToRadio: [Step] {
    [
      steps(amp, AmplifierCommand.on, .input("tuner"), .stereo),
      steps(tuner, TunerCommand.on, .station("$station")),
    ]
  }

  var endRadio: [Step] { [steps(amp, AmplifierCommand.off), steps(tuner, TunerCommand.off)] }

  var popcorn: [Step] { [steps(popper, PopcornPopperCommand.on, .pop)] }

  /// The commands of one device, one after the other.
  private func steps<Typed: RoleCommand>(
    _ device: DeviceID, _ commands: Typed..., until: Completion = .settled,
    onFailure: OnFailure = .stop
  ) -> Step {
    let steps = commands.map { command in
      Step.command(
        CommandStep(
          device: device, command: Self.stepCommand(command), until: until, onFailure: onFailure))
    }
    if let only = steps.first, steps.count == 1 { return only }
    return .sequence(steps)
  }

  private static func stepCommand<Typed: RoleCommand>(_ command: Typed) -> StepCommand {
    let parts = command.invocation
    if let argument = parts.argument, argument.text().contains("$") {
      return .template(name: parts.name.rawValue, argument: argument, role: Typed.role)
    }
    do {
      return .fixed(try command.checked())
    } catch {
      preconditionFailure("a step of the standard scenes is invalid: \(error.message)")
    }
  }
}
