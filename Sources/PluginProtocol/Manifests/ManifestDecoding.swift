import Devices
import JSON

extension Manifest {
  /// Reads the text of a `manifest.json`.
  ///
  /// Keys that this version does not know are ignored: a newer plugin may say more.
  public init(parsing bytes: some Sequence<UInt8>) throws(ManifestError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw ManifestError([], error.message, position: error.position)
    }
    do {
      try self.init(document.value)
    } catch {
      throw ManifestError(error.path, error.message, position: document.position(of: error.path))
    }
  }

  /// Reads a manifest's JSON.
  public init(_ json: JSON) throws(ManifestError) {
    guard let object = json.object else { throw ManifestError([], "expected an object") }
    func text(_ key: String) throws(ManifestError) -> String {
      guard let text = object[key]?.string, !text.isEmpty else {
        throw ManifestError([.key(key)], "expected a text for \"\(key)\"")
      }
      return text
    }
    let id = try text("id")
    guard id.utf8.count <= 64, id.utf8.allSatisfy(Self.isAllowedInID) else {
      throw ManifestError(
        [.key("id")], "an id has at most 64 letters, digits, \"-\" and \"_\"")
    }
    guard let version = ProtocolVersion(try text("protocol")) else {
      throw ManifestError([.key("protocol")], "expected a version such as \"1.0\"")
    }
    let bytes = (title: ProtocolLimits.manifestTitle, version: ProtocolLimits.manifestVersion)
    try self.init(
      id: id, version: try text("version").boundedLine(maximumBytes: bytes.version),
      title: object["title"]?.string?.boundedLine(maximumBytes: bytes.title),
      protocolVersion: version, command: Self.command(object),
      environment: Self.environment(object), roles: Self.roles(object))
  }

  private static func isAllowedInID(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static func texts(_ object: JSONObject, _ key: String, atLeast count: Int)
    throws(ManifestError) -> [String]
  {
    let values = object[key]?.array ?? (count == 0 && object[key] == nil ? [] : nil)
    let most = ProtocolLimits.manifestWords
    guard let values, (count...most).contains(values.count),
      values.allSatisfy({ $0.string != nil })
    else {
      let size = count == 0 ? "at most \(most)" : "\(count) to \(most)"
      throw ManifestError([.key(key)], "expected a list of \(size) texts for \"\(key)\"")
    }
    return values.compactMap(\.string)
  }

  private static func command(_ object: JSONObject) throws(ManifestError) -> [String] {
    let words = try texts(object, "command", atLeast: 1)
    guard words.reduce(0, { $0 + $1.utf8.count }) <= ProtocolLimits.command else {
      throw ManifestError(
        [.key("command")], "a command has at most \(ProtocolLimits.command) bytes")
    }
    return words
  }

  private static func environment(_ object: JSONObject) throws(ManifestError) -> [String] {
    let names = try texts(object, "environment", atLeast: 0)
    for (index, name) in names.enumerated() where !isAllowedVariable(name) {
      throw ManifestError(
        [.key("environment"), .index(index)],
        "\"\(name.boundedLine(maximumBytes: 64))\" is not among "
          + allowedEnvironment.joined(separator: ", "))
    }
    return names
  }

  /// Whether `name` is in the documented list, or falls under an entry of it that ends in `*`.
  private static func isAllowedVariable(_ name: String) -> Bool {
    allowedEnvironment.contains { allowed in
      allowed == name || allowed.last == "*" && name.hasPrefix(allowed.dropLast())
    }
  }

  private static func roles(_ object: JSONObject) throws(ManifestError) -> [Role: RoleOffer] {
    guard let roles = object["roles"]?.object, !roles.isEmpty else {
      throw ManifestError([.key("roles")], "expected an object with at least one role")
    }
    var offers: [Role: RoleOffer] = [:]
    for (name, value) in roles {
      let shown = name.boundedLine(maximumBytes: 64)
      let path = JSONPath([.key("roles"), .key(shown)])
      guard let role = Role(rawValue: name) else {
        let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
        throw ManifestError(path, "\"\(shown)\" is not a role; roles are \(known)")
      }
      guard let offer = value.object else { throw ManifestError(path, "expected an object") }
      offers[role] = try RoleOffer(
        options: offer["options"] ?? RoleOffer().options,
        cables: words(offer, "cables", in: path),
        remembers: Set(words(offer, "remembers", in: path)))
    }
    return offers
  }

  private static func words<Word: RawRepresentable<String> & CaseIterable>(
    _ object: JSONObject, _ key: String, in path: JSONPath
  ) throws(ManifestError) -> [Word] {
    guard let value = object[key] else { return [] }
    let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
    guard let values = value.array else {
      throw ManifestError(path.appending(key), "expected a list of: \(known)")
    }
    var words: [Word] = []
    for (index, value) in values.enumerated() {
      guard let word = value.string.flatMap(Word.init(rawValue:)) else {
        throw ManifestError(path.appending(key).appending(index), "expected one of: \(known)")
      }
      words.append(word)
    }
    return words
  }
}
