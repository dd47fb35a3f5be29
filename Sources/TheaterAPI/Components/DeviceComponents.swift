import Devices
import JSON
import Scenes

// The components of requests and responses about devices and scenes; most follow from the
// command tables and state keys of `Devices`.

extension Component {
  static let deviceComponents = [
    device, deviceState, deviceDetails, devices, deviceLog, command, sceneStep, scenes, plan,
    reported, run, runs, step, runChange, startedRun,
  ]

  static let device = Component("Device", .object(deviceMembers, optional: deviceOptions))

  private static let deviceMembers: Schema.Members = [
    "id": .name, "role": .words(Role.allCases.map(\.rawValue)), "title": .title,
    "rooms": .list(of: .name).described("The rooms that it belongs to; empty for the whole house."),
    "availability": .words(["starting", "available", "unavailable"]),
    "state": .reference(deviceState),
    "attributes": .map(
      to: .object(["value": .anything], optional: ["unit": .text(), "label": .text()])
    ).described("What the device reports beyond the keys of its role."),
    "capabilities": .list(of: .name),
  ]
  private static let deviceOptions: Schema.Members = [
    "icon": .icon, "area": .area,
    "inputs": .list(
      of: .object(
        ["name": .name],
        optional: .label + [
          "source": .name.described("The player or tuner at its cable; missing without a cable.")
        ])
    ).described("The inputs of an amplifier."),
    "reason": .text().described("Why the device is unavailable."),
  ]

  /// The last known values; a key that never had a value is missing.
  static let deviceState = Component(
    "DeviceState",
    .object(
      optional: Schema.Members(
        StateKey.allCases.map { key in
          (
            key.rawValue,
            .object([
              "value": Schema(key.shape),
              "provenance": .words(Provenance.allCases.map(\.rawValue)),
              "age": .anyNumber.described("Seconds since the last report."),
            ])
          )
        })))

  static let deviceDetails = Component(
    "DeviceDetails",
    .object(
      deviceMembers + [
        "commands": .list(
          of: .object(
            ["name": .name, "help": .text()],
            optional: [
              "argument": .text(), "argumentIsRequired": .boolean, "capability": .name,
            ]))
      ], optional: deviceOptions))

  static let devices = Component(
    "Devices", .object(["devices": .list(of: .reference(device))]))

  static let deviceLog = Component(
    "DeviceLog",
    .object(
      [
        "device": .name,
        "lines": .list(of: .text(0...600), count: 0...201).described("Oldest first."),
      ],
      optional: [
        "plugin": .name,
        "status": .text(1...100).described("The status of the plugin's process."),
        "message": .text().described("The last problem of the plugin."),
      ]))

  /// A command of some role: `"on"`, `{"dim": 40}`.
  static let command = Component("Command", .command(of: Role.allCases))

  /// A step of a scene: a command, a group of steps, or a wait.
  static let sceneStep: Component = Component(
    "SceneStep",
    .anyOf([
      .object(["device": .name, "command": .anything]),
      .object(["sequence": .list(of: .reference(sceneStep))]),
      .object(["parallel": .list(of: .reference(sceneStep))]),
      .object(["wait": .seconds]),
    ]))

  static let scenes = Component(
    "Scenes",
    .object([
      "scenes": .list(
        of: .object(
          [
            "name": .name, "parameters": .map(to: .text(1...64)),
            "steps": .list(of: .reference(sceneStep)),
          ],
          optional: .label + [
            "room": .name.described("The room that it is for; missing for the whole house.")
          ]))
    ]))

  /// The members that the nodes of plans and runs have in common. Commands have `device` and `command`,
  /// waits a `duration`.
  private static let nodeMembers: Schema.Members = [
    "id": .step, "kind": .words(of: PlanNode.Kind.self),
  ]
  private static let nodeOptions: Schema.Members = [
    "device": .name, "command": .reference(command), "duration": .seconds,
  ]

  /// The steps of a run that would begin now; a group stands before its members.
  static let plan = Component(
    "ScenePlan",
    .object(
      [
        "scene": .name,
        "steps": .list(
          of: .object(
            nodeMembers,
            optional: nodeOptions + [
              "action": .words(of: PlanNode.Action.self),
              "reported": .reference(reported).described(
                "The reported value that makes the command needless."),
            ])),
      ],
      optional: [
        "kept": kept,
        "resumedAt": .seconds.described("The saved position at which the item would resume."),
      ]))

  /// The devices that the end of an activity leaves as they are.
  private static let kept = Schema.list(
    of: .object([
      "device": .name, "room": .name.described("The room whose activity uses it."),
      "title": .title.described("What is on there."),
    ])
  ).described(
    "The devices that are left as they are, because the activity of another room uses them.")

  private static let reported = Component(
    "ReportedValue",
    .object(
      optional: Schema.Members(StateKey.allCases.map { ($0.rawValue, Schema($0.shape)) })))

  static let run = Component(
    "Run",
    .object(
      [
        "id": .id, "scene": .name, "status": .words(of: RunReport.Status.self),
        "steps": .list(of: .reference(step)),
      ],
      optional: ["error": .reference(failure), "kept": kept]))

  /// The runs that are under way.
  static let runs = Component("Runs", .object(["runs": .list(of: .reference(run))]))

  static let step = Component(
    "RunStep",
    .object(
      nodeMembers + [
        "status": .words(of: NodeReport.Status.self)
      ],
      optional: nodeOptions + [
        "seconds": .seconds, "error": .reference(failure),
        "reason": .words(of: NodeReport.Omission.self).described(
          "Why a command is skipped although the device does not report its effect: since the run began, a "
            + "person has changed the setting, or the activity of another room uses the device."),
      ]))

  /// An event of a run: its beginning, its end, or the change of one node.
  static let runChange = Component(
    "RunChange",
    .object(
      [
        "id": .id, "scene": .name, "status": .words(of: RunReport.Status.self),
      ],
      optional: ["step": .reference(step), "error": .reference(failure)]))

  /// A run, and the id of the event after which the stream has all events of the run.
  static let startedRun = Component(
    "StartedRun",
    .object(
      ["run": .reference(run), "event": .eventID],
      optional: ["resumedAt": .seconds] + .controlledRoom))
}

extension Schema {
  /// The values that a state key may have.
  init(_ shape: StateShape) {
    self =
      switch shape {
      case .words(let words): .words(words)
      case .truth: .boolean
      case .null: .null
      case .argument(let shape): Schema(shape)
      case .playback: .reference(.playback)
      case .either(let shapes): .anyOf(shapes.map { Schema($0) })
      }
  }

  /// The argument of a command.
  init(_ shape: ArgumentShape) {
    self =
      switch shape {
      case .integer(let range, let unit): .integer(range).described("In \(unit).")
      case .number(let range, let unit): .number(range).described("In \(unit).")
      case .text(let longest, _): .text(1...longest)
      case .fields(let fields):
        .object(optional: Members(fields.map { ($0.name, Schema($0.shape)) }))
      }
  }

  /// A command of one of these roles.
  fileprivate static func command(of roles: [Role]) -> Schema {
    var words: [String] = []
    var members: [(name: String, schemas: [Schema])] = []
    for spec in roles.flatMap(\.commands) {
      if spec.argument?.isRequired != true, !words.contains(spec.name) { words.append(spec.name) }
      // `null` counts as no argument.
      let schema = spec.argument.map { $0.isRequired ? Schema($0.shape) : Schema($0.shape).orNull }
      guard let index = members.firstIndex(where: { $0.name == spec.name }) else {
        members.append((spec.name, [schema ?? .null]))
        continue
      }
      if let schema, !members[index].schemas.contains(schema) {
        members[index].schemas.append(schema)
      }
    }
    let object = Schema.object(
      optional: Members(
        members.map { ($0.name, $0.schemas.count == 1 ? $0.schemas[0] : .anyOf($0.schemas)) }))
    return .anyOf([.words(words), object.withMembers(1...1)])
  }
}
