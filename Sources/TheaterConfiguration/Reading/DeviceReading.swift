import Devices
import HomeTheater
import JSON
import PluginProtocol

extension ConfigurationReader {
  /// Reads the devices; those with an error are left out.
  mutating func readDevices() -> [DeviceBinding] {
    var bindings: [DeviceBinding] = []
    for (name, device) in member("devices").object ?? [:] where !isFull {
      let path: JSONPath = [.key("devices"), .key(name)]
      guard !hasError(at: path), let role = roles[name], let plugin = device["plugin"]?.string
      else {
        continue
      }
      guard let options = readOptions(device, role: role, plugin: plugin, at: path) else {
        continue
      }
      bindings.append(
        DeviceBinding(
          id: DeviceID(name), role: role, plugin: plugin, options: options,
          process: device["process"]?.string))
    }
    return bindings
  }

  /// Reports, at the plugin, a valid role that the device's plugin does not have. Either of the two may be meant.
  ///
  /// - Returns: Whether the schema's problem is that one, and so is reported.
  mutating func reportUnfitPlugin(_ problem: SchemaIssue) -> Bool {
    let path = problem.path.elements
    guard path.count == 3, path[0] == .key("devices"), case .key(let name) = path[1],
      path[2] == .key("role"), let device = member("devices")[name],
      let role = device["role"]?.string.flatMap(Role.init), let plugin = device["plugin"]?.string,
      let manifest = plugins.manifests[plugin], manifest.roles[role] == nil
    else { return false }
    let fitting = plugins.manifests.values.filter { $0.roles[role] != nil }.map(\.id).sorted()
    let roles = manifest.orderedRoles.map(\.rawValue)
    report(
      .shape, at: [.key("devices"), .key(name), .key("plugin")],
      "the plugin \"\(plugin)\" has no devices of the role \(role.rawValue), only \(listed(roles))",
      hint: fitting.isEmpty
        ? "Change the plugin or the role."
        : "Plugins with this role: \(fitting.joined(separator: ", ")). Or change the role.")
    return true
  }

  private mutating func readOptions(
    _ device: JSON, role: Role, plugin: String, at path: JSONPath
  ) -> DeviceOptions? {
    let given = device["options"] ?? .object([:])
    let place = path.appending("options")
    let shape: SchemaNode?
    do {
      shape = try plugins.options(of: plugin, role: role)
    } catch {
      report(
        .plugin, at: path.appending("plugin"),
        "the manifest of \"\(plugin)\" has a wrong options schema for \(role.rawValue): \(error)",
        hint: "This is the plugin's mistake: tell its author, or use another version.")
      return nil
    }
    guard let shape else {
      report(
        .plugin, .warning, at: path.appending("plugin"),
        "the plugin \"\(plugin)\" cannot be used: \(plugins.faults[plugin] ?? "no manifest")",
        hint: "The device will be unavailable until that is fixed; its options were not checked.")
      // The plugin cannot be used, so its secrets are not read.
      return DeviceOptions(written: given)
    }
    let written = shape.completed(given, from: origin)
    return resolveSecrets(in: written, shape: shape, at: place)
  }

  /// Reads the secrets that the options name, and checks each against its schema.
  mutating func resolveSecrets(
    in written: JSON, shape: SchemaNode, at path: JSONPath
  ) -> DeviceOptions? {
    var found: [JSONPath: Secret] = [:]
    var isComplete = true
    for (place, name) in DeviceOptions.secretNames(in: written) where !isFull {
      do {
        found[place] = try secrets.secret(name)
      } catch {
        isComplete = false
        report(
          .secret, at: JSONPath(path.elements + place.elements), error.message, hint: error.hint)
      }
    }
    guard isComplete else { return nil }
    let options = DeviceOptions(written: written, secrets: found)
    guard !found.isEmpty else { return options }
    // The message must not contain the value, which is secret.
    for problem in shape.problems(with: options.revealed()) {
      isComplete = false
      report(
        .secret, at: JSONPath(path.elements + problem.path.elements),
        "the secret does not fit: expected \(problem.expected)",
        hint: "Change the secret's file.")
    }
    return isComplete ? options : nil
  }

  // MARK: Cables

  /// Reads the cables; those with an error are left out.
  mutating func readCables() -> [CableEdge] {
    var edges: [CableEdge] = []
    var inputs: [String: JSONPath] = [:]
    var sources: [String: JSONPath] = [:]
    for (index, cable) in (member("cables").array ?? []).enumerated() where !isFull {
      let path: JSONPath = [.key("cables"), .index(index)]
      let from = text("from", of: cable, at: path)
      let to = text("to", of: cable, at: path)
      let input = text("input", of: cable, at: path)
      let source = from.flatMap {
        device(
          $0, at: path.appending("from"), as: Role.sources + Role.having(.input),
          what: "a player, a tuner or an amplifier")
      }
      let sink = to.flatMap {
        device($0, at: path.appending("to"), as: Role.having(.input), what: "an amplifier")
      }
      if let to, let input, let first = inputs.updateValue(path, forKey: "\(to) \(input)") {
        report(
          .reference, at: path.appending("input"),
          "\"\(to)\" already has a cable at the input \"\(input)\" (\(first))",
          hint: "Give each cable an input of its own.")
      }
      if let from, let first = sources.updateValue(path, forKey: from) {
        report(
          .reference, at: path.appending("from"),
          "\"\(from)\" is already plugged in (\(first)); a source has one output",
          hint: "Remove one of the two cables.")
      }
      guard let source, let sink else { continue }
      let isChain = roles[source.name]?.has(.input) == true
      let level = level(of: cable, isChain: isChain, at: path)
      if isChain {
        checkChain(from: source.name, to: sink.name, at: path)
      } else {
        checkKinds(from: source.name, to: sink.name, at: path)
      }
      if let input {
        edges.append(CableEdge(from: source, to: sink, input: input, level: level))
      }
    }
    return edges
  }

  /// The level of a cable between two amplifiers; `nil` for the cable of a player.
  private mutating func level(of cable: JSON, isChain: Bool, at path: JSONPath) -> Int? {
    if !isChain, cable["level"] != nil {
      report(
        .reference, at: path.appending("level"),
        "only an amplifier before another one has a level",
        hint: "Remove \"level\": a player has no volume of its own.")
    }
    return isChain ? cable["level"]?.integer ?? 100 : nil
  }

  /// Checks the cable from an amplifier to another one: at most two in a row, joined by a wire.
  private mutating func checkChain(from: String, to: String, at path: JSONPath) {
    let next = (member("cables").array ?? []).first { $0["from"]?.string == to }
    if let next {
      let last = next["to"]?.string ?? "?"
      report(
        .reference, at: path.appending("to"),
        from == to
          ? "\"\(from)\" is plugged into itself"
          : "\"\(from)\", \"\(to)\" and \"\(last)\" are more than two amplifiers in a row",
        hint: "Plug a player's amplifier into the last amplifier.")
    }
    guard let kinds = cableKinds(of: to), !kinds.contains(.wired) else { return }
    report(
      .reference, at: path, "\"\(to)\" takes no wire: its plugin has no cable of the kind wired",
      hint: "Use a plugin for \"\(to)\" that controls a device outside of this computer.")
  }

  private mutating func checkKinds(from: String, to: String, at path: JSONPath) {
    guard let source = cableKinds(of: from), let sink = cableKinds(of: to) else { return }
    guard CableKind.joining(source, sink) == nil else { return }
    func words(_ kinds: [CableKind]) -> String {
      kinds.isEmpty ? "none" : kinds.map(\.rawValue).joined(separator: ", ")
    }
    let ends = "\"\(from)\" has \(words(source)), \"\(to)\" has \(words(sink))"
    report(
      .reference, at: path, "no cable fits both ends: \(ends)",
      hint: "Use a plugin for one of them that has a kind of cable in common with the other.")
  }

  /// The kinds of cable that the device's plugin supports; `nil` if the manifest is unknown.
  private func cableKinds(of name: String) -> [CableKind]? {
    guard let role = roles[name], let plugin = pluginNames[name] else { return nil }
    return plugins.manifests[plugin]?.roles[role]?.cables
  }

  /// The inputs of an amplifier: those of its cables, and those that its option `inputs` lists.
  mutating func inputs(of amplifier: String) -> Inputs {
    if let known = inputs[amplifier] { return known }
    let cables = (member("cables").array ?? []).filter { $0["to"]?.string == amplifier }
    let device = member("devices")[amplifier]
    let manifest = device?["plugin"]?.string.flatMap { plugins.manifests[$0] }
    let schema = roles[amplifier].flatMap { manifest?.roles[$0]?.options }
    let own = device?["options"]?["inputs"] ?? schema?["properties"]?["inputs"]?["default"]
    let names = cables.compactMap { $0["input"]?.string } + texts(own ?? .null)
    var known: Set<String> = []
    let found = Inputs(names: names.filter { known.insert($0).inserted }, known: Set(names))
    inputs[amplifier] = found
    return found
  }

  /// The inputs of one amplifier.
  struct Inputs {
    /// Those of its cables, then those of its option `inputs`, each once.
    let names: [String]
    let known: Set<String>
  }
}
