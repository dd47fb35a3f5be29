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
        ConfigurationProblem(
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
  private(set) var problems: [ConfigurationProblem] = []
  /// The places of errors, and all places around them.
  private var flawed: Set<JSONPath> = []

  /// Every device that the file names, with its role where that can be read: a device with a
  /// mistake in it is nevertheless a device.
  private(set) var roles: [String: Role] = [:]
  private(set) var deviceNames: [String] = []

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
    for key in document.repeatedKeys {
      add(
        ConfigurationProblem(
          .syntax, file: file, position: key.position, path: key.path,
          message: "this key stands twice in one object", hint: "Remove one of the two."))
    }
    for problem in Shape.object(ConfigurationShape.file(plugins)).problems(with: document.value) {
      report(problem)
    }
    for (name, device) in member("devices").object ?? [:] {
      deviceNames.append(name)
      roles[name] = device["role"]?.string.flatMap(Role.init)
    }
    let devices = readDevices()
    let cables = readCables()
    let scenes = readScenes()
    let plan = TheaterPlan(
      scenes: scenes, activities: readActivities(scenes: scenes, cables: cables),
      library: readLibrary(), cables: cables)
    let accounts = readAccounts(fileProblem)
    let web = readWeb(fileProblem)
    let folders = texts(member("pluginFolders"))
    let sorted = problems.sorted { $0.position ?? .start < $1.position ?? .start }
    if sorted.contains(where: { $0.severity == .error }) { throw InvalidConfiguration(sorted) }
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

  /// Whether something is already known to be wrong at `path` or below it.
  func isFlawed(_ path: JSONPath) -> Bool { flawed.contains(path) }

  // MARK: Reporting

  /// Notes a problem with the value at `path`, or with its key.
  mutating func report(
    _ kind: ConfigurationProblem.Kind, _ severity: ConfigurationProblem.Severity = .error,
    at path: JSONPath, key isAtKey: Bool = false, _ message: String, hint: String? = nil
  ) {
    let position = isAtKey ? document.keyPosition(of: path) : document.position(of: path)
    add(
      ConfigurationProblem(
        kind, severity, file: file, position: position, path: path, message: message, hint: hint))
  }

  private mutating func add(_ problem: ConfigurationProblem) {
    problems.append(problem)
    guard problem.severity == .error else { return }
    for length in 0...problem.path.elements.count {
      flawed.insert(JSONPath(Array(problem.path.elements.prefix(length))))
    }
  }

  /// Notes what the grammar found.
  mutating func report(_ problem: ShapeProblem) {
    report(
      .shape, at: problem.path, key: problem.isAtKey, problem.message, hint: problem.hint)
  }

  /// Notes that nothing of this name is there.
  mutating func reportMissing(
    _ what: String, _ name: String, among names: some Sequence<String>, at path: JSONPath,
    key isAtKey: Bool = false, kind: ConfigurationProblem.Kind = .reference
  ) {
    let names = Array(names)
    let known = "There is " + (names.isEmpty ? "none." : "\(names.joined(separator: ", ")).")
    report(
      kind, at: path, key: isAtKey, "there is no \(what) \"\(name.prefix(60))\"",
      hint: nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" } ?? known)
  }

  /// The device that is named at `path`, when it is there and has one of these roles.
  mutating func device(
    _ name: String, at path: JSONPath, as allowed: [Role], what: String
  ) -> DeviceID? {
    guard deviceNames.contains(name) else {
      let fitting = deviceNames.filter { roles[$0].map(allowed.contains) ?? true }
      reportMissing("device", name, among: fitting, at: path)
      return nil
    }
    guard let role = roles[name] else { return nil }
    guard allowed.contains(role) else {
      let fitting = deviceNames.filter { roles[$0].map(allowed.contains) ?? false }
      report(
        .reference, at: path, "expected \(what), but \"\(name)\" has the role \(role.rawValue)",
        hint: fitting.isEmpty ? nil : "It could be \(fitting.joined(separator: ", ")).")
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
  static let sources: [Role] = [.dvdPlayer, .cdPlayer, .tuner]
}
