import Devices
import JSON

/// The description of a plugin in `manifest.json`, which is read without starting the plugin.
public struct Manifest: Sendable, Hashable {
  /// The name by which `devices.json` calls it; also the name of its folder.
  public let id: String
  /// The version of the plugin, for people; at most 64 bytes.
  public let version: String
  /// The name for people; the id if the manifest has none.
  public let title: String
  /// The version of the contract that the plugin speaks.
  public let protocolVersion: ProtocolVersion
  /// The program and its arguments; a program that begins with `./` lies beside the manifest.
  public let command: [String]
  /// The environment variables that it is given, from `Manifest.allowedEnvironment`.
  public let environment: [String]
  /// The roles of its devices; at least one.
  public let roles: [Role: RoleOffer]
  /// The roles of its devices, in the order of `Role`.
  public var orderedRoles: [Role] { Role.allCases.filter { roles[$0] != nil } }

  /// The offer of a plugin for one role.
  public struct RoleOffer: Sendable, Hashable {
    /// A JSON Schema, in the subset of docs/plugin-protocol.md, for the options of a device.
    public let options: JSON
    /// The kinds of cable that the device's end takes, best first.
    public let cables: [CableKind]
    /// The keys that the device itself keeps when the plugin's process ends.
    public let remembers: Set<StateKey>

    public init(
      options: JSON = ["type": "object", "properties": [:]], cables: [CableKind] = [],
      remembers: Set<StateKey> = []
    ) {
      self.options = options
      self.cables = cables
      self.remembers = remembers
    }
  }

  /// The variables that a manifest may ask for; one that ends in `*` stands for all that begin so.
  public static let allowedEnvironment = [
    "HOME", "PATH", "LANG", "XDG_RUNTIME_DIR", "PULSE_*", "ALSA_CONFIG_PATH", "DISPLAY",
    "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CACHE_HOME",
  ]

  /// A manifest in memory, which is not checked.
  ///
  /// - Parameters:
  ///   - title: `nil` for the id.
  ///   - command: The program and its arguments; never empty.
  ///   - environment: Names of variables, from `allowedEnvironment`.
  public init(
    id: String, version: String, title: String? = nil,
    protocolVersion: ProtocolVersion = .current, command: [String], environment: [String] = [],
    roles: [Role: RoleOffer]
  ) {
    self.id = id
    self.version = version
    self.title = title ?? id
    self.protocolVersion = protocolVersion
    self.command = command
    self.environment = environment
    self.roles = roles
  }
}

/// A mistake in a manifest, with its place.
public struct ManifestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path from the root of the manifest to the wrong value.
  public let path: JSONPath
  /// The mistake, for people.
  public let message: String
  /// The place in the text; `nil` for values that were not read from a text.
  public let position: TextPosition?

  public init(_ path: JSONPath, _ message: String, position: TextPosition? = nil) {
    self.path = path
    self.message = message
    self.position = position
  }

  public var description: String {
    (position.map { "line \($0.line), column \($0.column), " } ?? "") + "\(path): \(message)"
  }
}
