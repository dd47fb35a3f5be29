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
  ///   - origin: The base of its relative paths.
  ///   - plugins: The plugins that its devices may name.
  ///   - secrets: The source of `{"secret": "name"}`.
  ///   - fileProblem: Returns why the file at an absolute path cannot be read; `nil` if it can.
  ///   - folderProblem: Returns why nothing can be found in the folder at an absolute path; `nil` if there can be.
  /// - Throws: All errors, at most 100.
  package static func read(
    _ bytes: some Sequence<UInt8>, named name: String, from origin: PathOrigin,
    plugins: KnownPlugins, secrets: some SecretSource,
    fileProblem: (String) -> String? = { _ in nil },
    folderProblem: (String) -> String? = { _ in nil }
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes, keepingRepeatedKeys: true)
    } catch {
      throw InvalidConfiguration([
        ConfigurationIssue(
          .syntax, file: name, position: error.position, message: error.message,
          hint: error.hint)
      ])
    }
    var reader = ConfigurationReader(
      document: document, file: name, origin: origin, plugins: plugins, secrets: secrets)
    return try reader.configuration(fileProblem, folderProblem)
  }
}

/// Reads one document and collects all of its errors.
///
/// It checks the whole document against the schema first. Then it reads each valid part and
/// resolves references. An error that the schema has found is not reported again.
struct ConfigurationReader {
  let document: JSONDocument
  /// The value of the document, without its notes.
  let value: JSON
  let file: String
  let origin: PathOrigin
  let plugins: KnownPlugins
  let secrets: any SecretSource
  private(set) var problems: [ConfigurationIssue] = []
  /// The paths of errors, and all paths above them.
  private var errorPaths: Set<JSONPath> = []

  /// The roles of all devices whose role is valid, also if the device has other errors.
  private(set) var roles: [String: Role] = [:]
  private(set) var deviceNames: [String] = []
  private var devicesByName: Set<String> = []
  /// The plugin of each device that names one.
  private(set) var pluginNames: [String: String] = [:]
  private(set) var sceneNames: Set<String> = []
  /// The names of the devices of each group that has no error.
  private(set) var groups: [String: [String]] = [:]
  /// The inputs of each amplifier, cached because each step may need them.
  var inputs: [String: Inputs] = [:]

  /// The most errors reported, and the most warnings.
  private static let mostProblems = SchemaNode.mostProblems
  private var errors = 0
  /// The number of problems beyond that limit.
  private var left = 0
  /// The number of spelling hints that may still be searched for.
  private var spellingHints = 10

  init(
    document: JSONDocument, file: String, origin: PathOrigin, plugins: KnownPlugins,
    secrets: any SecretSource
  ) {
    self.document = document
    value = ConfigurationNotes.removed(from: document.value)
    self.file = file
    self.origin = origin
    self.plugins = plugins
    self.secrets = secrets
  }

  mutating func configuration(
    _ fileProblem: (String) -> String?, _ folderProblem: (String) -> String?
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    for key in document.repeatedKeys where !isFull {
      add(
        ConfigurationIssue(
          .syntax, file: file, position: key.position, path: key.path,
          message: "this key stands twice in one object", hint: "Remove one of the two."))
    }
    for problem in SchemaNode.object(ConfigurationSchemaNodes.file(plugins)).problems(
      with: value)
    where !isReservedName(problem) && !reportUnfitPlugin(problem) {
      report(problem)
    }
    reportReservedNames()
    for (name, device) in member("devices").object ?? [:] {
      deviceNames.append(name)
      devicesByName.insert(name)
      roles[name] = device["role"]?.string.flatMap(Role.init)
      pluginNames[name] = device["plugin"]?.string
    }
    sceneNames = Set(member("scenes").object?.keys ?? [])
    let devices = readDevices()
    let cables = readCables()
    let groups = readGroups()
    for group in groups { self.groups[group.name] = group.devices.map(\.name) }
    let rooms = readRooms()
    let scenes = readScenes()
    var plan = TheaterPlan(
      scenes: scenes, activities: readActivities(scenes: scenes, cables: cables),
      library: readLibrary(), cables: cables)
    plan.sceneOrder = Array(member("scenes").object?.keys ?? [])
    plan.sceneRooms = readSceneRooms()
    plan.activityOrder = Array(member("activities").object?.keys ?? [])
    plan.devices = readDevicePlans()
    (plan.groups, plan.rooms) = (groups, rooms)
    checkRooms(of: plan)
    plan = plan.choosingChainInputs()
    let accounts = readAccounts(fileProblem)
    let web = readWeb(fileProblem)
    let folders = texts(member("pluginFolders"))
    checkFolders(folders, at: [.key("pluginFolders")], folderProblem)
    checkFolders(
      texts(member("library")["folders"] ?? .null), at: [.key("library"), .key("folders")],
      folderProblem)
    var sorted = problems.sorted { $0.position ?? .start < $1.position ?? .start }
    if left > 0 || isFull {
      sorted.append(
        ConfigurationIssue(
          .file, .warning, file: file, position: nil,
          message: "no more than \(Self.mostProblems) problems are listed, and there may be others",
          hint: "Correct these first, and check again."))
    }
    if errors > 0 { throw InvalidConfiguration(sorted) }
    return TheaterConfiguration(
      devices: devices, plan: plan, accounts: accounts,
      pluginFolders: folders.map(origin.absolute), web: web, warnings: sorted)
  }

  /// Warns of folders in which nothing can be found. They may be on a disk that is not connected now, so that is no
  /// error.
  private mutating func checkFolders(
    _ folders: [String], at path: JSONPath, _ folderProblem: (String) -> String?
  ) {
    for (index, folder) in folders.prefix(Self.mostProblems).enumerated() {
      guard let problem = folderProblem(origin.absolute(folder)) else { continue }
      report(
        .reference, .warning, at: path.appending(index), problem,
        hint: "Connect its disk, or correct the path.")
    }
  }

  // MARK: Finding

  /// A member of the whole file.
  func member(_ key: String) -> JSON { value[key] ?? .null }

  /// The texts of a list that may have values of other kinds.
  func texts(_ list: JSON) -> [String] {
    (list.array ?? []).compactMap(\.string)
  }

  /// The text of a member of the object at `path`; `nil` if an error in it is already reported.
  /// Other members of the object may have errors.
  func text(_ key: String, of object: JSON, at path: JSONPath) -> String? {
    object[key]?.string.flatMap { hasError(at: path.appending(key)) ? nil : $0 }
  }

  /// Whether the file has a device of this name.
  func isDevice(_ name: String) -> Bool { devicesByName.contains(name) }

  /// Whether a name is missing in a section only because of an error that is reported already: the section itself is
  /// missing, or the name stands there with letters that only look the same.
  func isExplained(_ name: String, in section: String) -> Bool {
    guard let entries = value[section]?.object else {
      return value[section] != nil || hasMisspelt(section)
    }
    // A valid name has Latin letters only.
    return entries.keys.contains { key in
      looksLike(key, name) && key.utf8.contains { $0 >= 0x80 }
    }
  }

  /// Whether a member of the whole file is reported as a misspelt `section`.
  private func hasMisspelt(_ section: String) -> Bool {
    (value.object?.keys ?? []).contains {
      hasError(at: [.key($0)]) && nearest(to: $0, in: [section]) != nil
    }
  }

  /// Whether the limit of errors is reached.
  var isFull: Bool { errors >= Self.mostProblems }

  /// Whether an error at `path` or below it is reported.
  func hasError(at path: JSONPath) -> Bool { errorPaths.contains(path) }

  // MARK: Reporting

  /// Reports a problem with the value at `path`, or with its key.
  mutating func report(
    _ kind: ConfigurationIssue.Kind, _ severity: ConfigurationIssue.Severity = .error,
    at path: JSONPath, key isAtKey: Bool = false, _ message: String, hint: String? = nil
  ) {
    // To find the position is the most expensive part.
    guard canReport(severity) else {
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
      errorPaths.insert(JSONPath(Array(problem.path.elements.prefix(length))))
    }
  }

  private func canReport(_ severity: ConfigurationIssue.Severity) -> Bool {
    (severity == .error ? errors : problems.count - errors) < Self.mostProblems
  }

  /// Reports an error that the schema found.
  mutating func report(_ problem: SchemaIssue) {
    report(
      .shape, at: problem.path, key: problem.isAtKey, problem.message, hint: problem.hint)
  }

  /// Reports a name that refers to nothing.
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

  /// "Did you mean …?", for the first mistakes of a file, because comparing words is expensive.
  mutating func spellingHint(
    for name: String, among names: [String], sign: String = ""
  ) -> String? {
    guard spellingHints > 0 else { return nil }
    spellingHints -= 1
    return Devices.spellingHint(for: name, among: names, sign: sign)
  }

  /// The device that is named at `path`; `nil` if it is missing or has another role.
  mutating func device(
    _ name: String, at path: JSONPath, as allowed: [Role], what: String
  ) -> DeviceID? {
    guard isDevice(name) else {
      if isExplained(name, in: "devices") { return nil }
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
