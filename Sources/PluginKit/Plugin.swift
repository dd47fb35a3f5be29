import Devices
import Glibc
import JSON
import Platform
import PluginProtocol

/// A plugin: its name and the devices that it can make. `main` is one line: `await plugin.run()`.
public struct Plugin: Sendable {
  let id: String
  let version: String
  let makers: [Role: DeviceMaker]
  let selfCheck: @Sendable () async -> SelfCheck

  /// Creates a plugin.
  ///
  /// - Parameters:
  ///   - id: The id of the plugin's manifest.
  ///   - version: The version of the plugin.
  ///   - devices: One factory for each role; of two for the same role the last counts.
  ///   - selfCheck: Checks whether the plugin's requirements are met, for `--self-check`.
  public init(
    id: String, version: String, devices: [DeviceMaker],
    selfCheck: @escaping @Sendable () async -> SelfCheck = { .passed }
  ) {
    self.id = id
    self.version = version
    self.selfCheck = selfCheck
    makers = Dictionary(devices.map { ($0.role, $0) }, uniquingKeysWith: { $1 })
  }

  /// Serves the controller on stdin and stdout until stdin ends; with `--self-check`, prints one
  /// line of JSON instead.
  public func run() async -> Never {
    signal(SIGPIPE, SIG_IGN)
    if CommandLine.arguments.dropFirst().contains("--self-check") {
      let outcome = await selfCheck()
      print(outcome.json)
      exit(outcome == .passed ? 0 : 1)
    }
    let connection = StreamConnection(reading: 0, writing: 1, answersAfterEnd: true)
    await PluginServer(plugin: self, connection: connection, atEnd: Self.exitSoon).run()
    exit(0)
  }

  /// Ends the process even if a device does not close: the contract allows two seconds.
  private static let exitSoon: @Sendable () -> Void = {
    SystemThread.start(name: "exit timer") {
      usleep(1_500_000)
      _exit(0)
    }
  }

  /// Serves a controller at the other end of `connection` until that end closes.
  public func serve(_ connection: any Connection) async {
    await PluginServer(plugin: self, connection: connection).run()
  }
}

/// The result of a plugin's self-check.
public enum SelfCheck: Sendable, Hashable {
  case passed
  /// With the missing requirement, and the next action.
  case failed(String, hint: String)

  /// `{"ok": true}` or `{"ok": false, "message": "…", "hint": "…"}`.
  public var json: JSON {
    switch self {
    case .passed: ["ok": true]
    case .failed(let message, let hint):
      ["ok": false, "message": .string(message), "hint": .string(hint)]
    }
  }
}

/// A factory of devices of one role.
public struct DeviceMaker: Sendable {
  let role: Role
  let make: @Sendable (DeviceContext) throws(DeviceError) -> any PluginDevice

  /// Makes devices of the role that `Device` commands belong to.
  public init<Device: PluginDevice>(
    _ make: @escaping @Sendable (DeviceContext) throws(DeviceError) -> Device
  ) {
    role = Device.Command.role
    self.make = { (context) throws(DeviceError) in try make(context) }
  }
}
