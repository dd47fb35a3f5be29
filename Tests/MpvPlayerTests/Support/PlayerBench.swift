import Devices
import Foundation
import JSON
import MediaNetwork
import Platform
import PluginKit
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

@testable import MpvPlayer

/// A player of the plugin in this process, and a controller that plugs its cable whenever the plugin asks for it.
final class PlayerBench: Sendable {
  /// The folder with the ALSA module, which is built once for these tests.
  private static let module: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder()
    let source = Program.project.appending(path: "Sources/TheaterPCM").path
    try TestFilms.tool(
      "make", ["-s", "-C", source, "OUT=\(folder.path)"], environment: ["TMPDIR": folder.path])
    return folder
  }

  let sink: FilmSink
  /// A value in the environment of this player's mpv processes, by which they are found.
  private let marker = UUID().uuidString
  private let bench: PluginBench
  private static let device = DeviceID("player")

  /// Opens a player, plugs its cable and turns it on.
  ///
  /// - Parameters:
  ///   - program: The program to start instead of mpv.
  ///   - variables: Further environment variables of mpv.
  ///   - drives: The interface to drives.
  ///   - clock: The clock of the plugin.
  ///   - makeProxy: Starts the proxy for network streams.
  init(
    _ role: Role = .dvdPlayer, _ options: JSONObject = [:], program: String? = nil,
    variables: [String: String] = [:], drives: DriveKernel = .system,
    clock: any TheaterClock = SystemClock(),
    makeProxy: (@Sendable () throws(SystemError) -> MediaProxy)? = nil
  ) async throws {
    var setup = MpvSetup()
    if let makeProxy { setup.makeProxy = makeProxy }
    setup.module = try Self.module.get().path(of: "libasound_module_pcm_theater.so")
    setup.pictureFolder = nil
    setup.drives = drives
    if let program { setup.program = program }
    for name in ["DISPLAY", "WAYLAND_DISPLAY"] { setup.variables[name] = nil }
    setup.variables["THEATER_TEST"] = marker
    setup.variables.merge(variables) { $1 }
    sink = try FilmSink()
    bench = PluginBench(MpvPlayer.plugin(setup, clock: clock)) { [sink] in
      try? await Self.plug($0, into: sink)
    }
    var all: JSONObject = ["drive": ""]
    if role == .dvdPlayer { all["videoOutput"] = "null" }
    for (key, value) in options { all[key] = value }
    try await bench.ask(OpenRequest(device: Self.device, role: role, options: .object(all)))
    try await Self.plug(bench, into: sink)
    try await perform("on")
  }

  /// Closes the player and waits until the plugin has ended.
  func end() async { await bench.end() }

  private static func plug(_ bench: PluginBench, into sink: FilmSink) async throws {
    try await bench.ask(PlugRequest(device: device, socket: try sink.nextSocket()))
  }

  /// Sends a command and waits until it is accepted.
  func perform(_ command: JSON) async throws {
    try await bench.ask(PerformRequest(device: Self.device, command: command))
  }

  /// Plays an item from a position in seconds.
  func play(_ item: String, from seconds: Double = 0) async throws {
    try await perform(["play": ["item": .string(item), "position": .number(seconds)]])
  }

  /// Sends a command and returns the message of its error; nil if it is accepted.
  func refusal(of command: JSON) async -> String? {
    await bench.perform(Self.device, command)?.message
  }

  /// Sends a command and returns the hint of its error; nil if it is accepted, or has none.
  func hint(of command: JSON) async -> String? {
    await bench.perform(Self.device, command)?.data?["hint"]?.string
  }

  /// Lends an ALSA PCM to the player. Returns the message of its error; nil if the player accepts the PCM.
  func refusal(ofPCM name: String) async -> String? {
    do throws(RPCError) {
      try await bench.ask(PlugRequest(device: Self.device, target: .pcm(name)))
      return nil
    } catch {
      return error.message
    }
  }

  /// Lists the items of a folder; without one, those of the configured folders, the streams and the disc.
  func scan(_ folder: String? = nil) async throws -> [CatalogueItem] {
    try await bench.ask(ScanRequest(device: Self.device, folder: folder))?.items ?? []
  }

  /// Lists the items of the configured folders, and the files that are left out.
  func page() async throws -> ScanRequest.Page {
    try await bench.ask(ScanRequest(device: Self.device, folder: nil)) ?? ScanRequest.Page([])
  }

  /// Returns the picture of an item; nil if there is none.
  func picture(of item: String) async throws -> ItemPicture? {
    try await bench.ask(PictureRequest(device: Self.device, item: item))?.picture
  }

  subscript(key: StateKey) -> JSON? { bench[Self.device, key] }
  func attribute(_ name: String) -> JSON? { bench.attribute(name, Self.device) }
  /// All reports of the tray, oldest first.
  var trays: [String] { bench.history(of: .tray, Self.device).compactMap(\.string) }
  /// All playback reports, oldest first.
  var playbacks: [Playback] {
    bench.history(of: .playback, Self.device).compactMap(Playback.init)
  }
  var playback: Playback? { playbacks.last }
  var log: [String] { bench.log }

  /// Waits until the reports satisfy a condition; fails the test after `seconds`.
  func wait(
    _ what: Comment, within seconds: Double = 30, location: SourceLocation = #_sourceLocation,
    until condition: @escaping @Sendable (PlayerBench) -> Bool
  ) async throws {
    let isMet = await eventually(within: seconds) { condition(self) }
    try #require(isMet, what, sourceLocation: location)
  }

  /// The process ids of this player's mpv processes.
  var processes: [Int32] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { Int32($0) }.filter { id in
      let environment = FileManager.default.contents(atPath: "/proc/\(id)/environ") ?? Data()
      return environment.range(of: Data("THEATER_TEST=\(marker)".utf8)) != nil
    }
  }
}
