import APIClient
import ArgumentParser
import JSON
import TheaterAPI

/// `theater scenes`.
struct ScenesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenes", abstract: "List the scenes.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get(DeviceEndpoint.scenes.path())
    try output.show(answer) { answer in
      var columns = Columns()
      for scene in answer["scenes"]?.array ?? [] {
        let parameters = SceneParameters.usages(of: scene)
        let steps = scene["steps"]?.array?.count ?? 0
        columns.add(
          scene["name"]?.string ?? "?", parameters.joined(separator: " "),
          "\(steps) \(steps == 1 ? "step" : "steps")", scene["title"]?.string ?? "")
      }
      return columns.text
    }
  }
}

/// `theater scene run movie-night --film "TITLE"`.
struct SceneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene", abstract: "Run a scene, show what it would do, or cancel it.",
    subcommands: [Run.self, Plan.self, Cancel.self])

  /// `theater scene run NAME`.
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run a scene.",
      discussion: """
        A scene that plays something is what is on from then on: `theater stop` ends it. Any other \
        runs beside what is on, in place of an earlier run of the same scene. A film or song that you stopped \
        resumes there; at a terminal the command asks first. A scene's parameters are options: --film "TITLE", or \
        --set film="TITLE", which also takes the name of an option such as json. `theater scenes` \
        shows them.
        """
    )

    @Argument(help: "The scene.", completion: .custom(SceneCompletion.words))
    var name: String
    @OptionGroup var place: RoomOption
    @OptionGroup var resuming: ResumeOptions
    @OptionGroup var waiting: WaitOptions
    @Argument(
      parsing: .allUnrecognized, help: "The parameters: --film \"TITLE\".",
      completion: .custom(SceneCompletion.words))
    var parameters: [String] = []

    func validate() throws {
      try NameArgument.requireText(name, "a scene")
      _ = try SceneParameters(words: parameters)
    }

    func run() async throws {
      let parameters = try SceneParameters(words: parameters)
      let theater = try RemoteTheater()
      var start = resuming.start
      if start == nil { start = try await chosenStart(parameters, theater) }
      try await SceneUsage(theater, "run", name).explaining {
        _ = try await RunFollower(theater, waiting).run(
          place.path(.runScene, scene: name), parameters.body(start ?? .saved),
          isAnnounced: start == nil, isResuming: resuming.resume)
      }
    }

    /// Asks at a terminal where an item begins that the person has stopped; `nil` without a question.
    private func chosenStart(
      _ parameters: SceneParameters, _ theater: RemoteTheater
    ) async throws -> StartPosition? {
      guard Prompt.canChoose else { return nil }
      let plan: JSON
      do {
        plan = try await theater.post(
          place.path(.planScene, scene: name), parameters.body(.saved))
      } catch let error as ExitError where error.code == .failed {
        // The run itself says what is wrong; a token may run scenes and make no plans.
        return nil
      }
      return try StoppedItem(plan: plan).map { try ResumeQuestion($0).ask() }
    }
  }
}

extension SceneCommand {
  /// `theater scene plan NAME`.
  struct Plan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what a run of a scene would do now, without doing it.")

    @Argument(help: "The scene.", completion: .custom(SceneCompletion.words))
    var name: String
    @OptionGroup var place: RoomOption
    @OptionGroup var resuming: ResumeOptions
    @OptionGroup var output: OutputOptions
    @Argument(
      parsing: .allUnrecognized, help: "The parameters: --film \"TITLE\".",
      completion: .custom(SceneCompletion.words))
    var parameters: [String] = []

    func validate() throws {
      try NameArgument.requireText(name, "a scene")
      _ = try SceneParameters(words: parameters)
    }

    func run() async throws {
      let parameters = try SceneParameters(words: parameters)
      let theater = try RemoteTheater()
      let plan = try await SceneUsage(theater, "plan", name).explaining {
        try await theater.post(
          place.path(.planScene, scene: name), parameters.body(resuming.start ?? .saved))
      }
      try output.show(plan) { plan in
        ((plan["steps"]?.array ?? []).map(StepLines.line(planned:)) + StepLines.kept(in: plan))
          .joined(separator: "\n")
      }
    }
  }
}

extension SceneCommand {
  /// `theater scene cancel NAME`.
  struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Cancel the run of a scene, or a run that starts or ends an activity.",
      discussion: "`theater status` shows the scenes that run.")

    @Argument(
      help: "The scene, or a run, such as run-7.", completion: .custom(SceneCompletion.words))
    var name: String
    @OptionGroup var output: OutputOptions

    func validate() throws { try NameArgument.requireText(name, "a scene or a run") }

    func run() async throws {
      let theater = try RemoteTheater()
      let report = try await theater.post(try await path(theater))
      try output.show(report) { report in
        let status = report["status"]?.string ?? "?"
        return status == "cancelled"
          ? "\(name) is cancelled" : "\(name) was over already: \(status)"
      }
    }

    /// The path of the request: for a scene that runs or that the file has, else for a run of this name.
    private func path(_ theater: RemoteTheater) async throws -> String {
      let running = try await theater.get(DeviceEndpoint.runs.path())["runs"]?.array ?? []
      let scenes = try await theater.get(DeviceEndpoint.scenes.path())["scenes"]?.array ?? []
      let isScene =
        running.contains { $0["scene"]?.string == name }
        || scenes.contains { $0["name"]?.string == name }
      let isRun = !isScene && name.hasPrefix("run-")
      return isRun ? DeviceEndpoint.cancelRun.path(name) : DeviceEndpoint.cancelScene.path(name)
    }
  }
}

/// A scene's parameters as options: `--film "TITLE"`, `--film=TITLE`, `--set film="TITLE"`.
struct SceneParameters {
  let object: JSONObject

  /// The options that take no parameter of their name: those of the commands, and those of the parser.
  private static let optionNames: Set<String> = [
    "json", "no-wait", "set", "at", "room", "token-file", "resume", "from-start", "help",
    "help-hidden", "version",
    "generate-completion-script",
    "experimental-dump-help",
  ]

  /// The option for a parameter, to which its value is added: `--film`, or `--set` for a parameter with
  /// the name of another option.
  static func option(for name: String) -> String {
    optionNames.contains(name) ? "--set" : "--\(name)"
  }

  /// The option for a parameter: `--film FILM`, `--set json=TEXT`.
  static func usage(of name: String, _ kind: String) -> String {
    optionNames.contains(name) ? "--set \(name)=\(kind)" : "--\(name) \(kind)"
  }

  /// The options for all parameters of a scene, as the API shows it.
  static func usages(of scene: JSON) -> [String] {
    (scene["parameters"]?.object ?? [:]).map { name, kind in
      usage(of: name, (kind.string ?? "text").uppercased())
    }
  }

  /// The body of a request to run or plan the scene.
  func body(_ start: StartPosition) -> JSON {
    ["parameters": .object(object), "fromStart": .bool(start == .beginning)]
  }

  init(words: [String]) throws(ValidationError) {
    var object = JSONObject()
    var words = words[...]
    while let word = words.popFirst() {
      let (name, value) = try Self.parameter(word, &words)
      guard object[name] == nil else {
        throw ValidationError("The parameter \(name) is given twice.")
      }
      object[name] = .string(value)
    }
    self.object = object
  }

  /// The parameter of an option, whose value may be the next word.
  private static func parameter(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(ValidationError) -> (name: String, value: String) {
    guard word.hasPrefix("--"), let option = pair(word.dropFirst(2)) else {
      throw ValidationError("\"\(word)\" is no parameter: write --NAME VALUE.")
    }
    guard let value = option.value ?? rest.popFirst() else {
      throw ValidationError("--\(option.name) has no value.")
    }
    guard option.name == "set" else { return (option.name, value) }
    guard let set = pair(value[...]), let own = set.value else {
      throw ValidationError("--set takes NAME=VALUE, not \(value).")
    }
    return (set.name, own)
  }

  /// The parts of `NAME=VALUE`; `nil` without a name.
  private static func pair(_ text: Substring) -> (name: String, value: String?)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else { return nil }
    return (String(name), parts.count == 2 ? String(parts[1]) : nil)
  }
}

/// The usage of a scene's command, for a refusal of its parameters.
struct SceneUsage {
  let theater: RemoteTheater
  /// The command: `run`.
  let command: String
  let scene: String

  init(_ theater: RemoteTheater, _ command: String, _ scene: String) {
    (self.theater, self.command, self.scene) = (theater, command, scene)
  }

  /// Adds the command with the scene's parameters to the error of a request with wrong ones.
  func explaining<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch var error as ExitError where error.word == "invalid" {
      let scenes = try? await theater.get(DeviceEndpoint.scenes.path()).printable["scenes"]?.array
      guard let found = scenes?.first(where: { $0["name"]?.string == scene }) else { throw error }
      let words = [ProgramName.name, "scene", command, scene] + SceneParameters.usages(of: found)
      let next = "next: \(words.joined(separator: " "))"
      error.hint = error.hint.map { "\($0)\n  \(next)" } ?? next
      throw error
    }
  }
}
