import Devices
import Foundation
import JSON
import TestSupport
import Testing

@testable import TheaterConfiguration

@Suite("Editing the text of a configuration")
struct ConfigurationTextTests {
  @Test("F6 · an edited entry of the shipped file changes its own line alone")
  func shipped() throws {
    let text = try ConfigurationText(Array(ProjectFile.text("devices.json").utf8))
    var entry = try #require(text["amp"])
    entry["plugin"] = "Simulated"
    entry["options"] = ["speed": 0]
    let edited = try text.replacing(["amp": entry, "nobody": [:]])
    #expect(edited["amp"] == entry)
    #expect(edited["nobody"] == nil)
    let (before, after) = (text.lines, edited.lines)
    #expect(before.count == after.count)
    let changed = before.indices.filter { before[$0] != after[$0] }
    #expect(
      changed.map { after[$0] } == [
        #"    "amp": {"role": "amplifier", "plugin": "Simulated", "options": {"speed": 0}},"#
      ])
    let back = try edited.replacing(["amp": try #require(text["amp"])])
    #expect(back.bytes == text.bytes)
  }

  @Test("F6 · a text that is no JSON cannot be edited")
  func wrong() {
    #expect(throws: JSONSyntaxError.self) { try ConfigurationText(Array("{\"devices\": {".utf8)) }
  }
}

extension ConfigurationText {
  fileprivate var lines: [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }
}
