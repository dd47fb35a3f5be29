import APIClient
import Foundation
import JSON
import NIOHTTP1
import Platform
import Synchronization
import TestSupport
import Testing

/// A controller with one simulated lamp, or with the configuration of a test, that is used over its
/// socket and can be killed and started again.
final class SmallTheater: Sendable {
  private let temporary: TemporaryFolder
  let folder: URL
  let environment: [String: String]
  let password = "small theater \(UUID().uuidString)"
  private let running = Mutex<RunningProgram?>(nil)
  private var controller: RunningProgram? { running.withLock { $0 } }
  /// The program and arguments before the command line, such as `unshare`.
  private let launcher: [String]

  /// - Parameters:
  ///   - more: Additions to the configuration of one lamp.
  ///   - launcher: A program and its arguments, to which the controller's are added.
  init(more: JSONObject = [:], launcher: (URL) -> [String] = { _ in [] }) throws {
    temporary = try ControllerFolder.make(plugins: ["Simulated"])
    folder = temporary.url
    var object: JSONObject = ["devices": ["lights": ["role": "lights", "plugin": "Simulated"]]]
    for (key, value) in more { object[key] = value }
    let configuration = JSON.object(object)
    try Data(configuration.text().utf8).write(to: folder.appendingPathComponent("devices.json"))
    environment = ControllerFolder.environment(of: folder)
    self.launcher = launcher(folder)
  }

  /// Starts the controller and waits until it answers.
  /// - Parameter port: That of its TCP listener; 0 takes a free one.
  /// - Returns: whether it does.
  func start(port: Int = 0) async throws -> Bool {
    try Data().write(to: folder.appendingPathComponent("console"))
    if !FileManager.default.fileExists(atPath: path("log")) {
      try Data().write(to: folder.appendingPathComponent("log"))
    }
    let command =
      launcher + [
        Program.products.appendingPathComponent("theater").path, "serve", "--config",
        path("devices.json"), "--port", "\(port)", "--plugins", path("plugins"),
      ]
    let controller = try RunningProgram(
      command[0], Array(command.dropFirst()), environment: environment,
      output: .files(output: path("console"), errors: path("log")))
    running.withLock { $0 = controller }
    let hasAnsweredOrEnded = await eventually {
      if !controller.isRunning { return true }
      return (try? await self.client().send(.GET, "/api/v1/health").status) == 200
    }
    try #require(hasAnsweredOrEnded, "\(text("log"))")
    return controller.isRunning
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func text(_ name: String) -> String {
    String(
      decoding: (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data(),
      as: UTF8.self)
  }

  var pid: pid_t { controller?.id ?? -1 }

  /// A client over the socket.
  func client(token: String? = nil) -> ControllerClient {
    ControllerClient(.socket(path("run/theater/theater.sock")), token: token)
  }

  /// Registers the owner and logs in.
  func registerOwner() async throws -> ControllerClient {
    // The table follows when no device is starting any more.
    #expect(await eventually { self.text("console").contains("\ndevice ") })
    let line = text("console").split(separator: "\n").first { $0.hasPrefix("setup code: ") } ?? ""
    let code = String(line.dropFirst("setup code: ".count))
    let account = try await client().send(
      .POST, "/api/v1/accounts",
      [
        "setupCode": .string(code), "name": "Ann", "email": "ann@example.org",
        "password": .string(password),
      ])
    #expect(account.status == 201, "\(account.json)")
    return client(token: try await logIn())
  }

  /// The token of a new session.
  func logIn() async throws -> String {
    let answer = try await client().send(
      .POST, "/api/v1/sessions", ["email": "ann@example.org", "password": .string(password)])
    return try #require(answer.json["token"]?.string, "\(answer.status) \(answer.json)")
  }

  /// Types a command.
  func theater(_ words: String...) async throws -> Program.Outcome { try await theater(words) }

  /// Types a command.
  func theater(_ words: [String]) async throws -> Program.Outcome {
    try await Program.run(
      Program.products.appendingPathComponent("theater"), words, environment: environment,
      folder: folder)
  }

  /// Copies a plugin of the fixtures into the theater, before it is used.
  ///
  /// - Parameter copy: The name of its folder; by default that of the plugin.
  func addPlugin(_ name: String, as copy: String? = nil) throws {
    try FileManager.default.copyItem(
      at: Program.project.appendingPathComponent("Tests/Fixtures/\(name)Plugin"),
      to: folder.appendingPathComponent("plugins/\(copy ?? name)"))
  }

  /// Ends the controller with signals, one after the other.
  /// - Returns: Its exit status, and the seconds until its end.
  func stop(_ signals: Int32...) async -> (status: ChildProcess.ExitStatus?, seconds: Double) {
    let clock = ContinuousClock()
    let start = clock.now
    for signal in signals { controller?.signal(signal) }
    let hasEnded = await controller?.waitForEnd() ?? false
    return (hasEnded ? controller?.status : nil, (clock.now - start) / .seconds(1))
  }

  /// Kills the controller.
  func crash() async {
    controller?.end()
    #expect(await controller?.waitForEnd() != false)
  }

  func close() async {
    controller?.signal(SIGTERM)
    if await controller?.waitForEnd() == false { controller?.end() }
  }
}
