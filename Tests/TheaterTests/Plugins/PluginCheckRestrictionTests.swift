import ArgumentParser
import Devices
import Foundation
import PluginConformance
import TestSupport
import Testing

@testable import theater

@Suite(.timeLimit(.minutes(3)))
struct PluginCheckRestrictionTests {
  /// A device with one connection: a lock that a process takes at its first `open` and holds to its end.
  private static func deviceWithOneConnection(_ folder: TemporaryFolder) -> BrokenPlugin {
    BrokenPlugin(
      "one connection", "plugin.c", "report(get(devices, name), first_state, NULL);",
      """
      int open(const char *, int, ...), flock(int, int);
      static int connection = -1;
      if (connection < 0) connection = open("\(folder.path)/connection", 66, 0600);
      if (flock(connection, 6) || cJSON_GetArraySize(devices) > 1) {
        cJSON_DeleteItemFromObjectCaseSensitive(devices, name);
        return fail(-32000, "unavailable", "the device has another connection");
      }
      report(get(devices, name), first_state, NULL);
      """, [], "")
  }

  @Test("a device that takes one connection is checked with one open device at a time")
  func oneDevice() async throws {
    let folder = try TemporaryFolder()
    let plugin = try await Self.deviceWithOneConnection(folder).build(in: folder)
    let restricted = try await PluginCheckOutcome(
      plugin, restrictions: CheckRestrictions(opensOneDevice: true)
    ).run(pause: {})
    #expect(restricted.failures.map(\.text) == [])
    let severalDevices = ConformanceCase.devices.filter { $0.name.hasPrefix("several devices") }
    let free = try await PluginCheckOutcome(plugin, cases: severalDevices).run()
    #expect(free.failures.count == 1, "without the restriction a second device is opened")
  }

  @Test("a process that holds the only connection is ended by the end of its input")
  func endsByItself() async throws {
    let folder = try TemporaryFolder()
    let plugin = BrokenPlugin(
      "says goodbye", "plugin.c", "cJSON_Delete(devices);\n  return 0;",
      "fclose(fopen(\"\(folder.path)/goodbye\", \"w\")); return 0;", [], "")
    let cases = ConformanceCase.handshake.filter { $0.name.hasPrefix("an unknown method") }
    let outcome = try await PluginCheckOutcome(
      try await plugin.build(in: folder), cases: cases,
      restrictions: CheckRestrictions(opensOneDevice: true)
    ).run(pause: {})
    #expect(outcome.failures.map(\.text) == [])
    #expect(FileManager.default.fileExists(atPath: folder.path(of: "goodbye")))
  }

  @Test(
    "no volume above the loudest one is sent, valid or not", arguments: [nil, 30, 1, 0])
  func loudest(_ loudest: Int?) async throws {
    let folder = try TemporaryFolder()
    let volumes = try await Self.volumesSent(to: folder, loudest: loudest)
    #expect(volumes.contains(Double(min(loudest ?? 100, 100))), "the end of the range is tried")
    #expect(volumes.contains { $0 > 100 } == (loudest == nil))
    if let loudest { #expect(volumes.allSatisfy { $0 <= Double(loudest) }, "\(volumes)") }
  }

  /// Checks an amplifier that writes each line into a file, and returns the volumes among them.
  private static func volumesSent(
    to folder: TemporaryFolder, loudest: Int?
  ) async throws -> [Double] {
    let plugin = try GeneratedPlugin("Mine", .amplifier, .c, in: folder.path).path
    let source = try String(contentsOfFile: plugin + "/plugin.c", encoding: .utf8)
    let receive = "static void receive(char *line, size_t length) {"
    #expect(source.contains(receive))
    let lines = folder.path(of: "lines")
    let recording = source.replacing(
      receive,
      with: """
        \(receive)
        FILE *lines = fopen("\(lines)", "a");
        if (length < 4096) fprintf(lines, "%s\\n", line);
        fclose(lines);
        """)
    try folder.write("Mine/plugin.c", Array(recording.utf8))
    let built = try await Program.run(
      URL(filePath: "/usr/bin/cc"), ["-o", plugin + "/plugin", plugin + "/plugin.c", "-lcjson"])
    #expect(built.status == 0, "\(built.errors)")
    let outcome = try await PluginCheckOutcome(
      plugin, restrictions: CheckRestrictions(loudest: loudest)
    ).run()
    #expect(outcome.failures.map(\.text) == [])
    // Some of the lines are no UTF-8.
    return String(decoding: try Data(contentsOf: URL(filePath: lines)), as: UTF8.self)
      .matches(of: #/"volume":"?([-+.0-9e]+)/#).compactMap { Double($0.1) }
  }

  @Test("a pause separates each two cases that start the program, and no others")
  func pauses() async throws {
    let folder = try TemporaryFolder()
    let plugin = try await BrokenPlugin.none.build(in: folder)
    var pauses = 0
    let outcome = try await PluginCheckOutcome(plugin, cases: ConformanceCase.handshake)
      .run(pause: { pauses += 1 })
    #expect(outcome.failures.map(\.text) == [])
    #expect(pauses == ConformanceCase.handshake.count(where: \.startsProgram) - 1)
  }

  @Test("one by one, a program that does not start fails in one case, without pauses")
  func doesNotStart() async throws {
    let folder = try TemporaryFolder()
    let plugin = try await BrokenPlugin.none.build(in: folder)
    try FileManager.default.removeItem(atPath: plugin + "/plugin")
    var pauses = 0
    let outcome = try await PluginCheckOutcome(plugin).run(pause: { pauses += 1 })
    #expect(outcome.failures.map(\.name) == ["the program starts and answers its first request"])
    #expect(outcome.summary.contains("4 passed, 1 failed"), "\(outcome.summary)")
    #expect(pauses == 0)
  }

  @Test(
    "a volume or a pause outside its range is refused",
    arguments: ["--loudest=101", "--loudest=-1", "--pause=-1", "--pause=601", "--pause=nan"])
  func wrongOptions(_ option: String) {
    #expect(throws: (any Error).self) { try PluginCheck.parse(["Lamps", option]) }
  }

  @Test("the restrictions are options of the command")
  func options() throws {
    let command = try PluginCheck.parse([
      "Lamps", "--one-device", "--loudest", "30", "--pause", "2.5",
    ])
    #expect(command.oneDevice)
    #expect(command.loudest == 30)
    #expect(command.pause == 2.5)
  }
}
