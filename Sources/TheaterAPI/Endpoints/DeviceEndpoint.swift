import Devices

/// Single devices and scenes.
public enum DeviceEndpoint: String, Endpoint {
  case devices, device, sendCommand, swapPlugin, deviceLog, scenes, planScene, runScene,
    cancelScene, runs, run, cancelRun

  public static let title = "Devices and scenes"

  private static let sceneRun = Schema.request(
    optional: [
      "parameters": .map(to: .anyOf([.text(), .anyNumber]), count: 0...100),
      "fromStart": .boolean.described(
        "Whether to ignore the saved position of the item that the scene plays."),
    ])

  public var route: Route {
    switch self {
    case .devices:
      Route(
        .get, "/devices", .permitted(.view, tokens: .view), "Lists every device with its state.",
        answers: [200: .json(.reference(.devices))])
    case .device:
      Route(
        .get, "/devices/{id}", .permitted(.view, tokens: .view),
        "Shows a device with its state and commands.",
        answers: [200: .json(.reference(.deviceDetails))])
    case .sendCommand:
      Route(
        .post, "/devices/{id}/commands", .permitted(.play, tokens: .device),
        "Sends a command to a device. The command's row in the command table says which permission "
          + "it needs.",
        body: .json(.reference(.command)), parameters: [.prefer],
        answers: [200: .json(.reference(.confirmation)), 202: .json(.reference(.confirmation))],
        errors: [409, 503])
    case .swapPlugin:
      Route(
        .post, "/devices/{id}/plugin", .permitted(.administer, tokens: .everything),
        "Gives a device another plugin while everything runs. Without `save` until the next start, or "
          + "until the device's entry in `devices.json` is edited. Needs a fresh proof; only a swap to "
          + "`Simulated`, without `save` and secrets, needs none.",
        body: .json(
          .request(
            ["plugin": .name],
            optional: [
              "options": .map(to: .anything, count: 0...100).described(
                "Replaces all options. Without this member the plugin that `devices.json` names keeps its "
                  + "options, and any other plugin gets its defaults."),
              "process": .name.described("The label of the plugin's process."),
              "save": .boolean.described("Whether to change the device's entry in `devices.json`."),
            ])),
        answers: [200: .json(.reference(.pluginSwap))], errors: [409])
    case .deviceLog:
      Route(
        .get, "/devices/{id}/log", .permitted(.operate, tokens: .everything),
        "Returns the last log lines of the device's plugin, at most 200 of at most 500 bytes. Devices "
          + "of one process have one log.",
        answers: [200: .json(.reference(.deviceLog))])
    case .scenes:
      Route(
        .get, "/scenes", .permitted(.view, tokens: .view),
        "Lists every scene with its parameters and steps.",
        answers: [200: .json(.reference(.scenes))])
    case .planScene:
      Route(
        .post, "/scenes/{name}/plan", .permitted(.operate, tokens: .everything),
        "Shows what a run of the scene would do now: each step, and whether it would be sent. Nothing "
          + "is sent.",
        body: .json(Self.sceneRun),
        answers: [200: .json(.reference(.plan))], errors: [409])
    case .runScene:
      Route(
        .post, "/scenes/{name}/runs", .permitted(.operate, tokens: .scene),
        "Runs a scene. Beside what is on, a new run takes the place of an earlier one of the same scene. "
          + "What it plays as an activity resumes where the user left it, unless a step names a position.",
        body: .json(Self.sceneRun),
        parameters: [.prefer],
        answers: [200: .json(.reference(.startedRun)), 202: .json(.reference(.startedRun))],
        errors: [409, 503])
    case .cancelScene:
      Route(
        .post, "/scenes/{name}/cancellation", .permitted(.play, tokens: .everything),
        "Stops the run of a scene that is under way, as the route for a run does.",
        body: .json(.request()), answers: [200: .json(.reference(.run))], errors: [409])
    case .runs:
      Route(
        .get, "/runs", .permitted(.view, tokens: .view),
        "Lists the runs that are under way, oldest first.",
        answers: [200: .json(.reference(.runs))])
    case .run:
      Route(
        .get, "/runs/{id}", .permitted(.view, tokens: .view), "Shows the progress of a run.",
        parameters: [.prefer], answers: [200: .json(.reference(.run))])
    case .cancelRun:
      Route(
        .post, "/runs/{id}/cancellation", .permitted(.play, tokens: .everything),
        "Stops a run after the commands that are on their way, and shows it. A run that begins or "
          + "ends the activity may be cancelled by everyone who may end the activity; any other "
          + "needs the permission `operate`. A run that is over stays as it is.",
        body: .json(.request()), answers: [200: .json(.reference(.run))])
    }
  }
}
