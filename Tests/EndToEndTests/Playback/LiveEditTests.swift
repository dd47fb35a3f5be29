import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LiveEditTests {
  /// Four versions of the file: the given one, and three with another device, option or process.
  private static func versions(of text: String) throws -> [[UInt8]] {
    let first = try JSON(parsing: text)
    func changed(_ path: [String], _ value: JSON) -> JSON {
      var configuration = Configuration(json: first)
      configuration.set(path[path.count - 1], at: Array(path.dropLast()), value)
      return configuration.json
    }
    return [
      first, changed(["devices", "lights", "options"], ["speed": 3]),
      changed(["devices", "lamp"], ["role": "lights", "plugin": "Simulated"]),
      changed(["devices", "screen", "process"], "second"),
    ].map { Array($0.prettyText().utf8) }
  }

  @Test("F6 · 200 states of devices.json in the middle of an edit: applied as a whole, or refused")
  func midEdit() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let place = room.folder.appendingPathComponent("devices.json").path
      let versions = try Self.versions(of: room.text("devices.json"))
      let token = room.text("state/theater/token").trimmingCharacters(in: .whitespacesAndNewlines)
      let client = ControllerClient(
        .socket(room.folder.appendingPathComponent("run/theater/theater.sock").path), token: token)
      @Sendable func get(_ path: String) async throws -> JSON {
        try await client.send(.GET, "/api/v1/\(path)").json
      }
      var edits = MidEdits(seed: 1)
      var (applied, refused) = (0, 0)
      for number in 0...200 {
        let text = number == 200 ? versions[0] : edits.next(versions)
        // Editors write into the file, or into another one that they rename.
        let target = number.isMultiple(of: 2) ? place : place + "~"
        try Data(text).write(to: URL(fileURLWithPath: target))
        if target != place { #expect(rename(target, place) == 0) }
        // The whole file is in force, or the status says that it has mistakes.
        let isSettled = await eventually {
          guard let difference = try? await get("configuration/difference"),
            let status = try? await get("status")
          else { return false }
          let isWrong =
            difference["problems"]?.array?.contains { $0["severity"] == "error" } == true
          let differs = difference["changes"]?.array?.contains { $0["live"] == true } == true
          return isWrong == (status["configuration"]?["errors"] != nil) && (isWrong || !differs)
        }
        try #require(
          isSettled && !room.hasEnded, "\(String(decoding: text, as: UTF8.self))\n\(room.log)")
        let isRefused = try await get("status")["configuration"]?["errors"] != nil
        (applied, refused) = isRefused ? (applied, refused + 1) : (applied + 1, refused)
      }
      #expect(applied > 20 && refused > 100, "\(applied) applied, \(refused) refused")
      try await room.waitForDevices()
      try await room.expect("device", "lights", "on")
      #expect(try await room.expect("config", "diff").contains("Nothing differs."))
    }
  }
}
