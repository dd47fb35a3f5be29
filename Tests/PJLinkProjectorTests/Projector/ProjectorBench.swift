import Devices
import JSON
import Platform
import PluginKit
import PluginProtocol
import PluginTestSupport

@testable import PJLinkProjector

/// A projector that the plugin controls. The plugin runs in this process, or in another one behind a connection.
final class ProjectorBench: Sendable {
  private let bench: PluginBench

  /// Starts the plugin in this process.
  init(clock: any TheaterClock) {
    bench = PluginBench(
      Plugin(
        id: "Test", version: "1",
        devices: [
          DeviceMaker { (context) throws(DeviceError) in
            try NetworkProjector(context, clock: clock, random: { 0.5 })
          }
        ]))
  }

  init(connection: any Connection) { bench = PluginBench(connection: connection) }

  /// Opens the projector at a port of this machine. Returns the error; nil if it is open.
  func open(_ port: Int, _ options: JSON = [:]) async -> RPCError? {
    var all: JSONObject = ["host": "127.0.0.1", "port": .integer(port)]
    for (name, value) in options.object ?? [:] { all[name] = value }
    return await bench.open("p", .projector, .object(all))
  }

  /// Sends a command. Returns the error; nil if the command is accepted.
  func perform(_ command: String) async -> RPCError? {
    await bench.perform("p", .string(command))
  }

  func close() async -> RPCError? { await bench.close("p") }

  subscript(key: StateKey) -> JSON? { bench["p", key] }
  func provenance(of key: StateKey) -> Provenance? { bench.provenance(of: key, "p") }
  func attribute(_ name: String) -> JSON? { bench.attribute(name, "p") }
  var log: [String] { bench.log }
}
