import APIClient
import Foundation
import JSON
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// A running controller in a temporary folder, with an ALSA device that records the sound into files.
final class LiveController: Sendable {
  private let temporary: TemporaryFolder
  let folder: URL
  let environment: [String: String]
  /// The owner's password, random.
  let password = UUID().uuidString
  private let running = Mutex<RunningProgram?>(nil)
  private var controller: RunningProgram? { running.withLock { $0 } }

  /// Starts a controller.
  ///
  /// - Parameters:
  ///   - alsa: More text for the ALSA configuration.
  ///   - arrange: Changes the configuration, which has every device simulated without travel times,
  ///     but for the amplifier (ALSA, into files) and the CD player (files in `music`).
  init(alsa: String = "", arrange: (inout Configuration, URL) throws -> Void = { _, _ in })
    async throws
  {
    temporary = try ControllerFolder.make(
      plugins: [
        "Simulated", "ALSAAmplifier", "LibavPlayer", "MpvPlayer", "MQTTDevices", "PJLinkProjector",
      ], more: ["music", "sound"])
    folder = temporary.url
    let sound = """
      </usr/share/alsa/alsa.conf>
      pcm.capture {
        type file
        slave.pcm null
        file "\(folder.path)/sound/heard.wav"
        format wav
        truncate false
      }
      \(alsa)
      """
    try Data(sound.utf8).write(to: folder.appendingPathComponent("alsa.conf"))
    var configuration = Configuration(music: folder.appendingPathComponent("music").path)
    try arrange(&configuration, folder)
    try Data(configuration.json.text().utf8).write(
      to: folder.appendingPathComponent("devices.json"))
    var environment = ControllerFolder.environment(of: folder)
    environment["ALSA_CONFIG_PATH"] = folder.appendingPathComponent("alsa.conf").path
    environment["NO_COLOR"] = "1"
    self.environment = environment
    try start()
  }

  /// Starts the controller, again after it has ended.
  func start() throws {
    for name in ["console", "log"] {
      try Data().write(to: folder.appendingPathComponent(name))
    }
    let path = { (name: String) in self.folder.appendingPathComponent(name).path }
    let controller = try RunningProgram(
      Program.products.appendingPathComponent("theater").path,
      ["serve", "--config", path("devices.json"), "--port", "0", "--plugins", path("plugins")],
      environment: environment, output: .files(output: path("console"), errors: path("log")))
    running.withLock { $0 = controller }
  }

  // MARK: Observations

  /// The controller's standard output.
  var console: String { text("console") }
  /// The controller's log.
  var log: String { text("log") }
  /// Whether the controller has ended.
  var hasEnded: Bool { controller?.isRunning != true }
  /// The controller's process.
  var pid: pid_t { controller?.id ?? -1 }

  func text(_ name: String) -> String {
    let data = try? Data(contentsOf: folder.appendingPathComponent(name))
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  /// The process of a plugin.
  func pid(of plugin: String) async throws -> pid_t? {
    let plugins = try #require(try await state("/plugins")["plugins"]?.array)
    let process = plugins.first { $0["id"]?.string == plugin }
    return process?["pid"]?.integer.map { pid_t($0) }
  }

  /// The titles of a list: `films`, `songs`, `stations`.
  func titles(_ list: String) async -> [String] {
    let items = try? await state("/\(list)")[list]?.array
    return (items ?? []).compactMap { $0["title"]?.string }
  }

  /// The status of a device; `nil` if there is no such device.
  func device(_ name: String) async throws -> JSON? {
    let devices = try #require(try await state("/devices")["devices"]?.array)
    return devices.first { $0["id"]?.string == name }
  }

  /// The answer of a route of the API, asked without a process of its own: for tests that wait for a state.
  func state(_ route: String) async throws -> JSON {
    let token = text("state/theater/token").trimmingCharacters(in: .whitespacesAndNewlines)
    let socket = folder.appendingPathComponent("run/theater/theater.sock").path
    return try await ControllerClient(.socket(socket), token: token)
      .send(.GET, "/api/v1\(route)").json
  }

  /// Posts to a route of the API, and returns its answer.
  @discardableResult
  func post(_ route: String, _ body: JSON = [:]) async throws -> JSON {
    let token = text("state/theater/token").trimmingCharacters(in: .whitespacesAndNewlines)
    let socket = folder.appendingPathComponent("run/theater/theater.sock").path
    let answer = try await ControllerClient(.socket(socket), token: token)
      .send(.POST, "/api/v1\(route)", body)
    #expect((200..<300).contains(answer.status), "\(route): \(answer.json)")
    return answer.json
  }

  // MARK: Commands

  /// Runs a command.
  @discardableResult
  func theater(_ words: String..., input: String = "") async throws -> Program.Outcome {
    try await Program.run(
      Program.products.appendingPathComponent("theater"), words, environment: environment,
      input: input, folder: folder)
  }

  /// Runs a command that must succeed, and returns its output.
  @discardableResult
  func expect(_ words: String..., input: String = "") async throws -> String {
    try await expect(words, input: input)
  }

  /// Runs a command that must succeed, and returns its output.
  @discardableResult
  func expect(_ words: [String], input: String = "") async throws -> String {
    let outcome = try await Program.run(
      Program.products.appendingPathComponent("theater"), words, environment: environment,
      input: input, folder: folder)
    #expect(
      outcome.status == 0,
      "theater \(words.joined(separator: " ")): \(outcome.output)\(outcome.errors)\n\(log)")
    return outcome.output
  }

  /// Runs a command in a terminal while `body` types and reads.
  func atTerminal(_ words: String..., body: (Terminal) async throws -> Void) async throws {
    let terminal = try terminal(words)
    defer { terminal.close() }
    try await body(terminal)
  }

  /// A terminal that runs a command. The test closes it.
  func terminal(_ words: [String]) throws -> Terminal {
    try Terminal(
      Program.products.appendingPathComponent("theater"), words,
      environment: environment.merging(["TERM": "xterm"]) { $1 })
  }

  /// The output of a command with `--json`.
  func json(_ words: String...) async throws -> JSON {
    let outcome = try await Program.run(
      Program.products.appendingPathComponent("theater"), words + ["--json"],
      environment: environment, folder: folder)
    return try JSON(parsing: outcome.output)
  }

  /// The answer of a route of the API, read for at most some seconds.
  func get(_ route: String, seconds: Int = 10) async throws -> String {
    let token = text("state/theater/token").trimmingCharacters(in: .whitespacesAndNewlines)
    let socket = folder.appendingPathComponent("run/theater/theater.sock").path
    return try await Program.tool(
      "curl", "-sN", "--max-time", "\(seconds)", "--unix-socket", socket, "-H",
      "Authorization: Bearer \(token)", "http://localhost/api/v1\(route)"
    ).output
  }

  /// The one-time code on the console.
  func setupCode() async throws -> String {
    try #require(await eventually { self.console.contains("setup code: ") }, "\(log)")
    let line = console.split(separator: "\n").first { $0.contains("setup code: ") } ?? ""
    let after = line.range(of: "setup code: ").map { line[$0.upperBound...] } ?? ""
    return String(after.prefix { !$0.isWhitespace })
  }

  /// Registers the owner and logs in.
  func registerOwner() async throws {
    let code = try await setupCode()
    try await expect(
      "register", "--setup-code", code, "--name", "Ann", "--email", "ann@example.org",
      "--password-stdin", input: password + "\n")
    try await expect(
      "login", "--email", "ann@example.org", "--password-stdin", input: password + "\n")
    try await waitForDevices()
  }

  /// Waits until every device can be reached.
  func waitForDevices() async throws {
    let areAvailable = await eventually {
      guard let devices = try? await self.state("/devices")["devices"]?.array else { return false }
      return !devices.isEmpty && devices.allSatisfy { $0["availability"] == "available" }
    }
    try #require(areAvailable, "\(log)")
  }

  /// Starts a second controller in the same folder and waits until it has ended.
  func serveAgain(_ more: String...) async throws -> Program.Outcome {
    try await Program.run(
      Program.products.appendingPathComponent("theater"),
      [
        "serve", "--config", folder.appendingPathComponent("devices.json").path, "--plugins",
        folder.appendingPathComponent("plugins").path,
      ] + (more.isEmpty ? ["--port", "0"] : more), environment: environment, folder: folder)
  }

  /// The paths of all files below one of the scratch folders.
  func files(below name: String) -> [String] {
    let place = folder.appendingPathComponent(name)
    let names = FileManager.default.enumerator(atPath: place.path)?.allObjects ?? []
    return names.map { place.appendingPathComponent("\($0)").path }
  }

  // MARK: End

  /// Ends the controller and removes the folder.
  func close() async {
    controller?.signal(SIGTERM)
    if await controller?.waitForEnd() == false { controller?.end() }
  }

  /// Kills the controller.
  func crash() async {
    controller?.end()
    #expect(await controller?.waitForEnd() != false)
  }
}

/// Runs `body` with a running controller, and ends it also after an error.
func withLiveController(
  alsa: String = "", arrange: (inout Configuration, URL) throws -> Void = { _, _ in },
  _ body: (LiveController) async throws -> Void
) async throws {
  let room = try await LiveController(alsa: alsa, arrange: arrange)
  do {
    try await body(room)
  } catch {
    await room.close()
    throw error
  }
  await room.close()
}
