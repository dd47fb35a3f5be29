import Devices
import HomeTheater
import JSON
import PluginProtocol

extension TheaterConfiguration {
  /// Reads the text of a `devices.json`.
  ///
  /// - Parameters:
  ///   - bytes: The text, in UTF-8.
  ///   - name: The file's name for people.
  ///   - origin: Where its relative paths start.
  ///   - plugins: What its devices may name.
  ///   - secrets: Where `{"secret": "name"}` is looked up.
  ///   - fileProblem: Why the file at an absolute path cannot be read; `nil` where it can.
  /// - Throws: Everything that is wrong with it.
  package static func read(
    _ bytes: some Sequence<UInt8>, named name: String, from origin: PathOrigin,
    plugins: KnownPlugins, secrets: some SecretSource,
    fileProblem: (String) -> String? = { _ in nil }
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes, keepingRepeatedKeys: true)
    } catch {
      throw InvalidConfiguration([
        ConfigurationIssue(
          .syntax, file: name, position: error.position, message: error.message,
          hint: "Mend this first; the rest of the file is checked after it.")
      ])
    }
    var reader = ConfigurationReader(
      document: document, file: name, origin: origin, plugins: plugins, secrets: secrets)
    return try reader.configuration(fileProblem)
  }
}

/// Reads one document, collecting all that is wrong with it.
///
/// First the grammar is checked as a whole; then each part that passed is read, and references are
/// looked up. What the grammar has found wrong is not complained about a second time.
struct ConfigurationReader {
  let document: JSONDocument
  let file: String
  let origin: PathOrigin
  let plugins: KnownPlugins
  let secrets: any SecretSource
  private(set) var problems: [ConfigurationIssue] = []
  /// The places of errors, and all places around them.
  private var flawed: Set<JSONPath> = []

  /// Every device that the file names, with its role where that can be read: a device with a
  /// mistake in it is nevertheless a device.
  private(set) var roles: [String: Role] = [:]
  private(set) var deviceNames: [String] = []
  private var devicesByName: Set<String> = []
  /// The plugin of each device that names one.
  private(set) var pluginNames: [String: String] = [:]
  private(set) var sceneNames: Set<String> = []
  /// Results that are kept, since a file may need them at each of its steps.
  var inputs: [String: Inputs] = [:]
  var optionShapes: [String: [Role: SchemaNode]] = [:]

  /// The most errors reported, and the most warnings.
  private static let mostProblems = SchemaNode.mostProblems
  private var errors = 0
  /// The number of problems beyond that.
  private var left = 0
  /// The number of spelling hints that may still be searched for.
  private var spellingHints = 10

  init(
    document: JSONDocument, file: String, origin: PathOrigin, plugins: KnownPlugins,
    secrets: any SecretSource
  ) {
    self.document = document
    self.file = file
    self.origin = origin
    self.plugins = plugins
    self.secrets = secrets
  }

  mutating func configuration(_ fileProblem: (String) -> String?) throws(InvalidConfiguration)
    -> TheaterConfiguration
  {
    for key in document.repeatedKeys where !isFull {
      add(
        ConfigurationIssue(
          .syntax, file: file, position: key.position, path: key.path,
          message: "this key stands twice in one object", hint: "Remove one of the two."))
    }
    for problem in SchemaNode.object(ConfigurationSchemaNodes.file(plugins)).problems(
      with: document.value)
    {
      report(problem)
    }
    for (name, device) in member("devices").object ?? [:] {
      deviceNames.append(name)
      devicesByName.insert(name)
      roles[name] = device["role"]?.string.flatMap(Role.init)
      pluginNames[name] = device["plugin"]?.string
    }
    sceneNames = Set(member("scenes").object?.keys ?? [])
    let devices = readDevices()
    let cables = readCables()
    let scenes = readScenes()
    let plan = TheaterPlan(
      scenes: scenes, activities: readActivities(scenes: scenes, cables: cables),
      library: readLibrary(), cables: cables)
    let accounts = readAccounts(fileProblem)
    let web = readWeb(fileProblem)
    let folders = texts(member("pluginFolders"))
    var sorted = problems.sorted { $0.position ?? .start < $1.position ?? .start }
    if left > 0 || isFull {
      sorted.append(
        ConfigurationIssue(
          .file, .warning, file: file, position: nil,
          message: "no more than \(Self.mostProblems) problems are listed, and there may be others",
          hint: "Mend these first, and check again."))
    }
    if errors > 0 { throw InvalidConfiguration(sorted) }
    return TheaterConfiguration(
      devices: devices, plan: plan, accounts: accounts,
      pluginFolders: folders.map(origin.absolute), web: web, warnings: sorted)
  }

  // MARK: Finding

  /// A member of the whole file.
  func member(_ key: String) -> JSON { document.value[key] ?? .null }

  /// The texts of a list that may have other things in it.
  func texts(_ list: JSON) -> [String] {
    (list.array ?? []).compactMap(\.string)
  }

  /// The text of a member of the object at `path`, unless something is already known to be wrong
  /// with it: other members may be wrong, and are told of beside this one.
  func text(_ key: String, of object: JSON, at path: JSONPath) -> String? {
    object[key]?.string.flatMap { isFlawed(path.appending(key)) ? nil : $0 }
  }

  /// Whether the file names a device so.
  func isDevice(_ name: String) -> Bool { devicesByName.contains(name) }

  /// Whether so much is wrong that nothing more is looked for.
  var isFull: Bool { errors >= Self.mostProblems }

  /// Whether something is already known to be wrong at `path` or below it.
  func isFlawed(_ path: JSONPath) -> Bool { flawed.contains(path) }

  // MARK: Reporting

  /// Notes a problem with the value at `path`, or with its key.
  mutating func report(
    _ kind: ConfigurationIssue.Kind, _ severity: ConfigurationIssue.Severity = .error,
    at path: JSONPath, key isAtKey: Bool = false, _ message: String, hint: String? = nil
  ) {
    // Finding the place takes longer than all else.
    guard hasRoom(for: severity) else {
      left += 1
      return
    }
    let position = isAtKey ? document.keyPosition(of: path) : document.position(of: path)
    add(
      ConfigurationIssue(
        kind, severity, file: file, position: position, path: path, message: message, hint: hint))
  }

  private mutating func add(_ problem: ConfigurationIssue) {
    problems.append(problem)
    guard problem.severity == .error else { return }
    errors += 1
    for length in 0...problem.path.elements.count {
      flawed.insert(JSONPath(Array(problem.path.elements.prefix(length))))
    }
  }

  private func hasRoom(for severity: ConfigurationIssue.Severity) -> Bool {
    (severity == .error ? errors : problems.count - errors) < Self.mostProblems
  }

  /// Notes what the grammar found.
  mutating func report(_ problem: SchemaIssue) {
    report(
      .shape, at: problem.path, key: problem.isAtKey, problem.message, hint: problem.hint)
  }

  /// Notes that nothing of this name is there.
  mutating func reportMissing(
    _ what: String, _ name: String, among names: some Sequence<String>, at path: JSONPath,
    key isAtKey: Bool = false, kind: ConfigurationIssue.Kind = .reference
  ) {
    let names = Array(names)
    report(
      kind, at: path, key: isAtKey, "there is no \(what) \"\(name.quotation)\"",
      hint: spellingHint(for: name, among: names)
        ?? "There is \(names.isEmpty ? "none" : listed(names)).")
  }

  /// "Did you mean …?", for the first mistakes of a file; comparing words costs more than all else.
  mutating func spellingHint(
    for name: String, among names: [String], sign: String = ""
  ) -> String? {
    guard spellingHints > 0 else { return nil }
    spellingHints -= 1
    return nearest(to: name, in: names).map { "Did you mean \"\(sign)\($0)\"?" }
  }

  /// The device that is named at `path`, when it is there and has one of these roles.
  mutating func device(
    _ name: String, at path: JSONPath, as allowed: [Role], what: String
  ) -> DeviceID? {
    guard isDevice(name) else {
      let fitting = deviceNames.filter { roles[$0].map(allowed.contains) ?? true }
      reportMissing("device", name, among: fitting, at: path)
      return nil
    }
    guard let role = roles[name] else { return nil }
    guard allowed.contains(role) else {
      let fitting = deviceNames.filter { roles[$0].map(allowed.contains) ?? false }
      report(
        .reference, at: path, "expected \(what), but \"\(name)\" has the role \(role.rawValue)",
        hint: fitting.isEmpty ? nil : "It could be \(listed(fitting)).")
      return nil
    }
    return DeviceID(name)
  }
}

extension TextPosition {
  fileprivate static let start = TextPosition(line: 1, column: 1)
}

extension Role {
  /// The roles whose sound an amplifier can hear.
  static let sources = allCases.filter { $0.category != nil }
}
