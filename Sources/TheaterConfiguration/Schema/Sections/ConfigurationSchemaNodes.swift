import Devices
import HomeTheater
import JSON
import PluginProtocol
import Scenes

/// The grammar of `devices.json`, for a set of plugins.
enum ConfigurationSchemaNodes {
  /// A name that the author of the file gives to a device, scene, activity, input or process.
  static func name(of what: String) -> TextSchema {
    TextSchema(rule: .name, what: "the name of \(what)")
  }

  static func file(_ plugins: KnownPlugins) -> ObjectSchema {
    ObjectSchema(
      "a configuration",
      fields: [
        .init("$schema", .text(TextSchema()), help: "Where an editor finds the schema."),
        .init(
          "pluginFolders", .list(path("a folder")),
          help: "Folders that hold further plugins, beside the installed ones."),
        .init(
          "devices",
          map("the devices", of: "a device", reserved: reservedWords, fewest: 1, device(plugins)),
          isRequired: true, help: "The devices, by the names that scenes and cables use."),
        .init(
          "groups",
          map("the groups", of: "a group", reserved: reservedWords, .named("group", group)),
          help: "Devices of one role that scenes command with one step."),
        .init(
          "rooms", map("the rooms", of: "a room", .named("room", room)),
          help: "Devices that are used together; without rooms all devices are one."),
        .init(
          "cables", .list(.named("cable", cable)),
          help: "The cables: which player or tuner is connected to which input of an amplifier."),
        .init(
          "scenes", map("the scenes", of: "a scene", .named("scene", scene)),
          help: "Trees of commands, by name."),
        .init(
          "activities", map("the activities", of: "an activity", .named("activity", activity)),
          help: "The activities, such as watching a film: a start scene and an end scene each."),
        .init("library", .named("library", library), help: "What can be chosen."),
        .init(
          "accounts", .named("accounts", accounts),
          help: "Rules for names and passwords, and how e-mail and text messages are sent."),
        .init("web", .named("web", web), help: "Where browsers and programs reach the theater."),
      ])
  }

  private static func map(
    _ all: String, of one: String, reserved: [String] = [], fewest: Int = 0, _ shape: SchemaNode
  ) -> SchemaNode {
    .object(
      ObjectSchema(
        all, others: .init(key: name(of: one), reserved: reserved, shape: shape), fewest: fewest))
  }

  static func path(_ what: String) -> SchemaNode {
    .text(TextSchema(shortest: 1, longest: 4096, what: "the path of \(what)", isPath: true))
  }

  private static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type)
    -> SchemaNode
  {
    .constants(Word.allCases.map { .string($0.rawValue) })
  }

  // MARK: Devices and cables

  private static func device(_ plugins: KnownPlugins) -> SchemaNode {
    let ids = plugins.ids
    let plugin: SchemaNode =
      ids.isEmpty
      ? .text(TextSchema(shortest: 1, what: "the name of a plugin"))
      : .constants(ids.map { .string($0) })
    let anyOptions = ObjectSchema("an object of options", others: .init(shape: .anything))
    return .named(
      "device",
      .object(
        ObjectSchema(
          "a device",
          fields: label + [
            .init("role", words(Role.self), isRequired: true, help: "What the device is for."),
            .init("plugin", plugin, isRequired: true, help: "Which plugin drives it."),
            .init("options", .object(anyOptions), help: "What the plugin wants to know."),
            .init(
              "process", .text(name(of: "a process")),
              help: "Devices of one plugin share a process unless their labels differ."),
            .init(
              "inputs", map("the inputs", of: "an input", .named("input", input)),
              help: "The titles of an amplifier's inputs, by the names of the inputs."),
          ],
          variants: plugins.manifests.values.sorted { $0.id < $1.id }.flatMap {
            variants($0, plugins)
          })))
  }

  /// The roles of one plugin's devices, and the options of each role.
  private static func variants(
    _ manifest: Manifest, _ plugins: KnownPlugins
  ) -> [ObjectSchema.Variant] {
    let roles = manifest.orderedRoles
    let isPlugin = ObjectSchema.Condition("plugin", is: .string(manifest.id))
    let itsRoles = ObjectSchema.Variant(
      when: [isPlugin],
      fields: [.init("role", .constants(roles.map { .string($0.rawValue) }))])
    // A wrong schema is reported for each device that needs it.
    let options = roles.compactMap { role in
      (try? plugins.options(of: manifest.id, role: role)).map { (role, $0) }
    }
    let shared = sharedOptions(options.map(\.1))
    return [itsRoles]
      + options.map { role, options in
        ObjectSchema.Variant(
          when: [isPlugin, .init("role", is: .string(role.rawValue))],
          fields: [
            .init(
              "options", options.sharing(shared, of: manifest.id), isRequired: options.needsMembers)
          ])
      }
  }

  /// The options that are objects and equal for several roles, by name; the first of several with
  /// the same name.
  private static func sharedOptions(_ roles: [SchemaNode]) -> [String: SchemaNode] {
    var seen: Set<ObjectSchema.Field> = []
    var shared: [String: SchemaNode] = [:]
    for case .object(let options) in roles {
      for field in options.fields where !seen.insert(field).inserted {
        guard case .object = field.shape, shared[field.name] == nil else { continue }
        shared[field.name] = field.shape
      }
    }
    return shared
  }

  private static let cable = SchemaNode.object(
    ObjectSchema(
      "a cable",
      fields: [
        .init(
          "from", .text(name(of: "a device")), isRequired: true,
          help: "A player or tuner, or an amplifier before another one."),
        .init("to", .text(name(of: "a device")), isRequired: true, help: "An amplifier."),
        .init(
          "input", .text(name(of: "an input")), isRequired: true,
          help: "The name of the input, as in {\"amp\": {\"input\": \"dvd\"}}."),
        .init(
          "level", .number(NumberSchema(isWhole: true, minimum: 0, maximum: 100)),
          help: "The volume in % at which an amplifier before another one runs; by default 100."),
      ]))

  // MARK: Scenes and activities

  /// What people read and see instead of a name.
  private static let label = [
    ObjectSchema.Field(
      "title", .text(TextSchema(shortest: 1, longest: 200, what: "a title")),
      help: "What people read instead of the name."),
    .init("icon", .named("icon", words(Icon.self)), help: "The drawing beside the title."),
    .init(
      "area", .text(TextSchema(shortest: 1, longest: 100, what: "a part of the home")),
      help: "The part of the home, such as \"Upstairs\", by which lists are grouped."),
  ]

  private static let input = SchemaNode.object(ObjectSchema("an input", fields: label))

  private static let members = ObjectSchema.Field(
    "devices", .list(.text(name(of: "a device"))), isRequired: true,
    help: "The names of its devices.")

  private static let group = SchemaNode.object(ObjectSchema("a group", fields: label + [members]))

  private static let room = SchemaNode.object(ObjectSchema("a room", fields: label + [members]))

  private static let roomOfEntry = ObjectSchema.Field(
    "room", .text(name(of: "a room")),
    help: "The room that it is for; by default the one of its devices.")

  private static let scene = SchemaNode.object(
    ObjectSchema(
      "a scene",
      fields: label + [
        roomOfEntry,
        .init(
          "parameters",
          map(
            "the parameters", of: "a parameter", reserved: reservedParameters,
            words(ParameterKind.self)),
          help: "The parameters that a run needs; \"$name\" stands for one in the steps."),
        .init(
          "steps", .list(.deferred(.named("step", step))), isRequired: true,
          help: "The steps, one after the other."),
      ]))

  /// Words of a step, which cannot be names of devices, groups or parameters.
  static let reservedWords = Step.words + Step.reservedWords

  /// Words that are no names of parameters, whatever their kind.
  private static let reservedParameters = reservedWords.filter {
    ParameterKind(rawValue: $0) == nil && $0 != ConfigurationNotes.key
  }

  /// A step. The reader checks one level at a time, against the alternative of the step's kind.
  private static let step = SchemaNode.either([
    .list(.reference("step")), sequence, parallel, wait, commandStep,
  ])

  static let sequence = group("sequence", "Steps that run one after the other.")
  static let parallel = group("parallel", "Steps that run at the same time.")

  private static func group(_ word: String, _ help: String) -> SchemaNode {
    .object(
      ObjectSchema(
        "a group such as {\"\(word)\": […]}",
        fields: [
          .init(word, .list(.reference("step")), isRequired: true, help: help), onFailure,
        ]))
  }

  static let wait = SchemaNode.object(
    ObjectSchema(
      "a pause such as {\"wait\": \"2 s\"}",
      fields: [
        .init(
          "wait", .text(TextSchema(rule: .duration, what: "a duration such as \"2 s\"")),
          isRequired: true, help: "How long to wait: from 1 ms to 1 h.")
      ]))

  static let commandStep = SchemaNode.object(
    ObjectSchema(
      "a step such as {\"lights\": {\"dim\": 10}}",
      fields: [
        .init(
          "until", words(Completion.self), standard: .string(Completion.settled.rawValue),
          help: "When the next step may begin."),
        onFailure,
        .init(
          "always", .boolean, standard: false,
          help: "Whether to send a command whose effect the device already reports."),
      ],
      others: .init(
        key: name(of: "a device or a group"), reserved: reservedWords,
        shape: .deferred(deviceCommands),
        isSingle: true)))

  private static let onFailure = ObjectSchema.Field(
    "onFailure", words(OnFailure.self), standard: .string(OnFailure.stop.rawValue),
    help: "What happens to the scene when the step fails.")

  /// A command for one device, or several one after the other.
  static let deviceCommands = SchemaNode.either([anyCommand, .list(anyCommand)])

  /// A command for a device of any role.
  static let anyCommand = SchemaNode.named("command", .command(of: Role.allCases))

  private static let activity = SchemaNode.object(
    ObjectSchema(
      "an activity",
      fields: label + [
        roomOfEntry,
        .init(
          "start", .text(name(of: "a scene")), isRequired: true, help: "The scene that begins it."),
        .init("end", .text(name(of: "a scene")), isRequired: true, help: "The scene that ends it."),
        .init(
          "player", .text(name(of: "a device")),
          help: "The player to which its progress, pause and seek refer."),
        .init(
          "amplifier", .text(name(of: "a device")),
          help: "The amplifier of its volume; by default the one at the player's cable."),
        .init(
          "category", words(Category.self),
          help:
            "The list from which its item is chosen; by default the one of the start scene's parameter."
        ),
        .init(
          "whenEnded", words(WhenEnded.self), standard: .string(WhenEnded.end.rawValue),
          help: "What happens when the film or song is over."),
        .init(
          "whenFailed",
          .text(TextSchema(rule: WhenFailed.rule, what: "a time such as \"20 min\", or \"stay\"")),
          standard: "20 min",
          help:
            "How long its player may fail, wait or be lost before its end scene runs; \"stay\" for ever."
        ),
        .init(
          "endsWithout", .list(.text(name(of: "a device"))),
          help:
            "The devices without which it ends: its end scene runs when one of them has been missing for 30 s."
        ),
      ]))

  // MARK: The library

  private static let library = SchemaNode.object(
    ObjectSchema(
      "the library",
      fields: [
        .init("films", .list(.named("film", film)), help: "Films that no player lists."),
        .init("songs", .list(.named("song", song)), help: "Songs that no player lists."),
        .init("stations", .list(.named("station", station)), help: "Radio stations."),
        .init(
          "folders", .list(path("a folder")), help: "Folders in which players look for more."),
      ]))

  private static func itemFields(idHelp: String, isIDRequired: Bool) -> [ObjectSchema.Field] {
    [
      .init(
        "id", .text(TextSchema(shortest: 1, longest: CatalogueItem.longestID, what: "an id")),
        isRequired: isIDRequired, help: idHelp),
      .init(
        "title", .text(TextSchema(shortest: 1, longest: 200, what: "a title")), isRequired: true,
        help: "What people read, and may type."),
      .init(
        "player", .text(name(of: "a device")),
        help: "The player for it; by default any player that fits."),
    ]
  }

  private static let film = SchemaNode.object(
    ObjectSchema(
      "a film",
      fields: recordingFields + [
        .init(
          "rating", .number(NumberSchema(isWhole: true, minimum: 0, maximum: 21, unit: "years")),
          help: "The age rating: the lowest age for it, in years.")
      ]))

  private static let song = SchemaNode.object(ObjectSchema("a song", fields: recordingFields))

  private static let recordingFields =
    itemFields(idHelp: "What the player is told to play.", isIDRequired: true) + [
      .init("artist", .text(TextSchema(shortest: 1, longest: 200, what: "an artist"))),
      .init("album", .text(TextSchema(shortest: 1, longest: 200, what: "an album"))),
      .init(
        "duration", .number(NumberSchema(minimum: 0, maximum: 172_800, unit: "s")),
        help: "In seconds."),
    ]

  private static let station = SchemaNode.object(
    ObjectSchema(
      "a station",
      fields: itemFields(
        idHelp: "The tuner's name for it; by default the title.", isIDRequired: false) + [
          .init(
            "am", .number(range(TunerCommand.amRange, unit: "kHz")),
            help: "The AM frequency, in kHz."),
          .init(
            "fm", .number(range(TunerCommand.fmRange, unit: "MHz")),
            help: "The FM frequency, in MHz."),
        ], alternatives: ["am", "fm"]))

  private static func range(_ range: ClosedRange<Double>, unit: String) -> NumberSchema {
    NumberSchema(minimum: range.lowerBound, maximum: range.upperBound, unit: unit)
  }
}

extension SchemaNode {
  /// Returns the object with definitions in place of these members.
  fileprivate func sharing(_ shared: [String: SchemaNode], of plugin: String) -> SchemaNode {
    guard case .object(var shape) = self else { return self }
    for (index, field) in shape.fields.enumerated() where shared[field.name] == field.shape {
      shape.fields[index].shape = .named("\(plugin).\(field.name)", field.shape)
    }
    return .object(shape)
  }

  /// Whether the object cannot be left out, because one of its members is required.
  var needsMembers: Bool {
    guard case .object(let shape) = self else { return false }
    return shape.fields.contains(where: \.isRequired)
  }
}
