import Devices
import Foundation
import JSON
import Platform
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import MpvPlayer

/// A player of the plugin in this process, and a controller that plugs its cable at each request.
final class PlayerBench: Sendable {
  private struct State {
    var nextID = 1
    var waiting: [Int: CheckedContinuation<JSON, any Error>] = [:]
    var values: [StateKey: JSON] = [:]
    var attributes: [String: JSON] = [:]
    var playbacks: [Playback] = []
    var log: [String] = []
  }

  /// The ALSA module, built once for these tests.
  private static let module: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder()
    let source = Program.project.appending(path: "Sources/TheaterPCM").path
    try TestFilms.tool(
      "make", ["-s", "-C", source, "OUT=\(folder.path)"], environment: ["TMPDIR": folder.path])
    return folder
  }

  let sink: FilmSink
  private let marker = UUID().uuidString
  private let state = Mutex(State())
  private let connection: InMemoryConnection
  private let server: Task<Void, Never>
  private let device = DeviceID("player")

  /// Opens a player, plugs its cable and turns it on.
  ///
  /// - Parameters:
  ///   - program: Started instead of mpv.
  ///   - variables: Further variables of mpv.
  init(
    _ role: Role = .dvdPlayer, _ options: JSONObject = [:], program: String? = nil,
    variables: [String: String] = [:]
  ) async throws {
    var setup = MpvSetup()
    setup.module = try Self.module.get().path(of: "libasound_module_pcm_theater.so")
    if let program { setup.program = program }
    for name in ["DISPLAY", "WAYLAND_DISPLAY"] { setup.variables[name] = nil }
    setup.variables["THEATER_TEST"] = marker
    setup.variables.merge(variables) { $1 }
    let plugin = MpvPlayer.plugin(setup)
    let (controller, plugged) = InMemoryConnection.pair()
    sink = try FilmSink()
    connection = controller
    server = Task { await plugin.serve(plugged) }
    connection.start { [weak self] event in
      if case .line(let bytes) = event { self?.receive(bytes) }
    }
    var all: JSONObject = ["drive": ""]
    if role == .dvdPlayer { all["videoOutput"] = "null" }
    for (key, value) in options { all[key] = value }
    try await ask(OpenRequest(device: device, role: role, options: .object(all)))
    try await plug()
    try await perform("on")
  }

  deinit { connection.closeSending() }

  /// Closes the player and waits until the plugin has ended.
  func end() async {
    connection.closeSending()
    await server.value
  }

  @discardableResult
  func ask<Request: PluginRequest>(_ request: Request) async throws -> Request.Answer? {
    let method = Request.method
    let result = try await withCheckedThrowingContinuation { continuation in
      let id = state.withLock { state in
        state.nextID += 1
        state.waiting[state.nextID] = continuation
        return state.nextID
      }
      try? connection.send(.request(id: id, method: method, params: request.params))
    }
    return Request.answer(result)
  }

  /// Gives a command and waits until it is accepted.
  func perform(_ command: JSON) async throws {
    try await ask(PerformRequest(device: device, command: command))
  }

  /// Plays an item, from a second on.
  func play(_ item: String, from seconds: Double = 0) async throws {
    try await perform(["play": ["item": .string(item), "position": .number(seconds)]])
  }

  /// The message of the error with which a command is refused; nil if it is accepted.
  func refusal(of command: JSON) async throws -> String? {
    do {
      try await perform(command)
      return nil
    } catch let error as RPCError {
      return error.message
    }
  }

  /// Lists the items of a folder, or of the player's own.
  func scan(_ folder: String? = nil) async throws -> [CatalogueItem] {
    try await ask(ScanRequest(device: device, folder: folder))?.items ?? []
  }

  private func plug() async throws {
    try await ask(PlugRequest(device: device, socket: try sink.nextSocket()))
  }

  subscript(key: StateKey) -> JSON? { state.withLock { $0.values[key] } }
  func attribute(_ name: String) -> JSON? { state.withLock { $0.attributes[name] } }
  /// All playback reports, oldest first.
  var playbacks: [Playback] { state.withLock { $0.playbacks } }
  var playback: Playback? { playbacks.last }
  var log: [String] { state.withLock { $0.log } }

  /// Waits until the reports satisfy a condition; fails the test after `seconds`.
  func wait(
    _ what: Comment, within seconds: Double = 30, location: SourceLocation = #_sourceLocation,
    until condition: @escaping @Sendable (PlayerBench) -> Bool
  ) async throws {
    let isMet = await eventually(within: seconds) { condition(self) }
    try #require(isMet, what, sourceLocation: location)
  }

  /// The process ids of this player's mpv.
  var processes: [Int32] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { Int32($0) }.filter { id in
      let environment = FileManager.default.contents(atPath: "/proc/\(id)/environ") ?? Data()
      return environment.range(of: Data("THEATER_TEST=\(marker)".utf8)) != nil
    }
  }

  private func receive(_ line: UnsafeBufferPointer<UInt8>) {
    guard let message = try? RPCMessage(line: line) else { return }
    switch message {
    case .success(let id, let result):
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: result)
    case .failure(let id?, let error):
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: error)
    case .notification(StateNotification.method, let params):
      take(StateNotification(params: params))
    case .notification(PlugAgainNotification.method, _):
      Task { try? await plug() }
    case .notification(LogNotification.method, let params):
      if let text = params["message"]?.string { state.withLock { $0.log.append(text) } }
    default: break
    }
  }

  private func take(_ notification: StateNotification?) {
    guard let notification else { return }
    state.withLock { state in
      state.values.merge(notification.values) { $1 }
      state.attributes.merge(notification.attributes.mapValues(\.value)) { $1 }
      if let playback = notification.values[.playback].flatMap(Playback.init) {
        state.playbacks.append(playback)
      }
    }
  }
}
