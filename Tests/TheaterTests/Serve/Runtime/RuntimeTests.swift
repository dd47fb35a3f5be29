import Devices
import Foundation
import HomeTheater
import JSON
import PluginHost
import TestSupport
import TheaterConfiguration
import Testing
import TheaterLoader
import WebServer

@testable import theater

@Suite struct RuntimeTests {
  private static func choice(
    _ plugin: String, options: JSONObject? = nil, process: String? = nil, save: Bool = false
  ) -> PluginChoice {
    PluginChoice(plugin: plugin, options: options, process: process, isSaved: save)
  }

  private static let simulated = #""plugin": "Simulated""#

  // MARK: Edits

  @Test("F6 · an edit is applied as a whole, and only the changed entries are touched")
  func edit() async throws {
    let harness = try RuntimeHarness()
    await harness.edit(
      RuntimeHarness.text(
        lights: #""plugin": "Simulated", "options": {"speed": 5}"#,
        more: #", "library": {"films": [{"id": "f", "title": "New"}]}"#))
    #expect(harness.target.applied == 1)
    #expect(harness.target.reopened == ["lights"])
    #expect(harness.target.facade.plan.library.films.map(\.title) == ["New"])
    #expect(
      harness.target.events == [["status": "applied", "changed": [], "removed": []]])
    let log = harness.log.lines.joined(separator: "\n")
    #expect(log.contains("~ devices.lights: options.speed"))
    #expect(log.contains("+ library.films.f"))
  }

  @Test(
    "F6 · saves and applies a text from an owner as a whole, if the file was not edited meanwhile")
  func save() async throws {
    let harness = try RuntimeHarness()
    let before = harness.store.text
    let new = Array(
      RuntimeHarness.text(lights: #""plugin": "Simulated", "options": {"speed": 5}"#).utf8)
    await #expect(throws: TheaterError.self) {
      try await harness.runtime.save(
        new, replacing: { $0.isEmpty }, by: RuntimeHarness.administrator) as JSONObject
    }
    #expect(harness.store.text == before && harness.target.applied == 0)
    let saved: JSONObject = try await harness.runtime.save(
      new, replacing: { $0 == before }, by: RuntimeHarness.administrator)
    #expect(saved["changes"]?.array?.map { $0["name"] } == ["lights"])
    #expect(harness.store.writes == [new])
    #expect(harness.target.reopened == ["lights"])
    // The watcher of the file finds nothing else to apply.
    await harness.runtime.reload()
    #expect(harness.target.applied == 1)
  }

  @Test("F6 · a text with mistakes is not saved, and each mistake has its line and path")
  func saveMistakes() async throws {
    let harness = try RuntimeHarness()
    let before = harness.store.text
    for text in [RuntimeHarness.text(lights: #""plugin": "Simulate""#), "{\"devices\": "] {
      let answer: JSONObject = try await harness.runtime.save(
        Array(text.utf8), replacing: { _ in true }, by: RuntimeHarness.administrator)
      #expect(answer["changes"] == nil)
      let first = answer["problems"]?.array?.first
      #expect(first?["severity"] == "error" && first?["line"]?.integer != nil)
    }
    #expect(harness.store.text == before && harness.target.applied == 0)
    let member = Principal(
      user: nil, permissions: [.operate], activities: nil, volumeLimit: nil, ageLimit: nil)
    await #expect(throws: TheaterError.self) {
      try await harness.runtime.save(before, replacing: { _ in true }, by: member) as JSONObject
    }
  }

  @Test("F6 · devices come and go with their entries")
  func devices() async throws {
    let harness = try RuntimeHarness()
    let more = #""second": {"role": "lights", "plugin": "Simulated"}, "lights""#
    await harness.edit(
      RuntimeHarness.text().replacing("\"lights\": {\"role\"", with: more + ": {\"role\""))
    #expect(harness.target.facade.devices.keys.sorted() == ["amp", "cd", "lights", "second"])
    await harness.edit(RuntimeHarness.text())
    #expect(harness.target.facade.devices.keys.sorted() == ["amp", "cd", "lights"])
    #expect(harness.target.events.last?["removed"] == ["second"])
  }

  @Test("F6 · the same content applies nothing, however often it is written")
  func same() async throws {
    let harness = try RuntimeHarness()
    for text in [RuntimeHarness.text(), RuntimeHarness.text() + "\n", RuntimeHarness.text()] {
      await harness.edit(text)
    }
    #expect(harness.target.applied == 0)
    #expect(harness.target.events.isEmpty)
    #expect(harness.log.lines.isEmpty)
  }

  @Test("F6 · an invalid edit keeps the configuration, and is reported once until it is corrected")
  func refused() async throws {
    let harness = try RuntimeHarness()
    for _ in 1...3 { await harness.edit(RuntimeHarness.text(lights: #""plugin": "Simulate""#)) }
    #expect(harness.target.applied == 0)
    #expect(await harness.plugin("lights") == "Simulated")
    let edit = try #require(await harness.runtime.refusedEdit)
    #expect(edit["errors"] == 1)
    #expect(edit["problem"]?["path"] == "$.devices.lights.plugin")
    #expect(edit["problem"]?["line"] == 5)
    let refused: JSON = ["status": "refused", "changed": [], "removed": []]
    #expect(harness.target.events == [refused])
    #expect(harness.log.lines.count == 1)
    #expect(harness.log.lines.first?.contains("devices.json:5:") == true)
    await harness.edit(RuntimeHarness.text())
    #expect(await harness.runtime.refusedEdit == nil)
    #expect(harness.target.applied == 0)
    let applied: JSON = ["status": "applied", "changed": [], "removed": []]
    #expect(harness.target.events == [refused, applied])
  }

  @Test("F6 · of several quick edits the last one is in force")
  func quick() async throws {
    let harness = try RuntimeHarness()
    await withDiscardingTaskGroup { group in
      for speed in 1...50 {
        harness.store.text = Array(
          RuntimeHarness.text(
            lights: #""plugin": "Simulated", "options": {"speed": \#(speed)}"#
          ).utf8)
        group.addTask { await harness.runtime.reload() }
      }
    }
    let lights = harness.target.hosted.first { $0.id == "lights" }
    #expect(lights?.options["speed"] == 50)
    #expect(
      await harness.runtime.current.configuration["lights"]?.options.written["speed"] == 50)
  }

  @Test("F6 · settings that take effect at the start do not change, and the difference lists them")
  func bound() async throws {
    let harness = try RuntimeHarness()
    await harness.edit(RuntimeHarness.text(more: #", "web": {"port": 9999}"#))
    await harness.runtime.reload()
    #expect(harness.target.applied == 0)
    #expect(await harness.runtime.current.configuration.web.port == nil)
    let lines = harness.log.lines
    #expect(lines.count == 1)
    #expect(lines.first?.contains("~ web: port (takes effect at the next start)") == true)
    let answer = await harness.runtime.differenceAnswer(to: nil)
    #expect(
      answer["changes"] == [
        ["kind": "changed", "section": "web", "keys": ["port"], "live": false]
      ])
  }

  @Test("F6 · the difference names the mistakes of a text, and nothing of it is applied")
  func difference() async throws {
    let harness = try RuntimeHarness()
    let runtime = harness.runtime
    #expect(await runtime.differenceAnswer(to: nil) == ["problems": [], "changes": []])
    let other = await runtime.differenceAnswer(
      to: Array(RuntimeHarness.text(lights: #""plugin": "Simulated", "process": "x""#).utf8))
    #expect(
      other["changes"]?.array?.map { DifferenceText.line(of: $0) } == ["~ devices.lights: process"])
    let wrong = await runtime.differenceAnswer(to: Array("{".utf8))
    #expect(wrong["changes"] == [])
    #expect(DifferenceText.hasErrors(wrong))
    #expect(await runtime.check(Array("{".utf8)) == ["problems": wrong["problems"] ?? .null])
    #expect(harness.target.applied == 0)
  }

  // MARK: Swaps

  @Test("F6 · a device gets another plugin and its own again; other devices are not touched")
  func swap() async throws {
    let harness = try RuntimeHarness()
    let there = try await harness.runtime.swap(
      "amp", to: Self.choice("Simulated"), by: RuntimeHarness.administrator)
    #expect(there.changes.map(\.place) == ["devices.amp"])
    #expect(there.changes.first?.keys.contains("plugin") == true)
    #expect(await harness.plugin("amp") == "Simulated")
    #expect(harness.target.reopened == ["amp"])
    // A swap back to the plugin of the file also takes the options of the file.
    _ = try await harness.runtime.swap(
      "amp", to: Self.choice("ALSAAmplifier"), by: RuntimeHarness.administrator)
    let amp = try #require(harness.target.hosted.first { $0.id == "amp" })
    #expect(amp.plugin == "ALSAAmplifier" && amp.options["device"] == "default")
    #expect(harness.target.reopened == ["amp", "amp"])
    let again = try await harness.runtime.swap(
      "amp", to: Self.choice("ALSAAmplifier"), by: RuntimeHarness.administrator)
    #expect(again.isEmpty && harness.target.applied == 2)
    #expect(harness.store.writes.isEmpty)
  }

  @Test("F6 · the answer to a swap says whether devices.json has the entry, also after a swap back")
  func savedEntry() async throws {
    let harness = try RuntimeHarness()
    for (choice, isSaved) in [
      (Self.choice("Simulated"), false), (Self.choice("ALSAAmplifier"), true),
      (Self.choice("Simulated", save: true), true),
    ] {
      let answer = try await harness.runtime.swapPlugin(
        of: "amp", to: choice, by: RuntimeHarness.administrator)
      #expect(answer["saved"] == .bool(isSaved), "\(choice)")
    }
  }

  @Test("F6 · a process label alone moves a device to another process with its options")
  func process() async throws {
    let harness = try RuntimeHarness()
    let difference = try await harness.runtime.swap(
      "amp", to: Self.choice("ALSAAmplifier", process: "second"),
      by: RuntimeHarness.administrator)
    #expect(difference.text == "~ devices.amp: process")
    #expect(harness.target.hosted.first { $0.id == "amp" }?.options["device"] == "default")
  }

  @Test("F6 · a swap lasts while other entries are edited, and ends with an edit of its own")
  func lasting() async throws {
    let harness = try RuntimeHarness()
    _ = try await harness.runtime.swap(
      "amp", to: Self.choice("Simulated"), by: RuntimeHarness.administrator)
    await harness.edit(RuntimeHarness.text(lights: #""plugin": "Simulated", "process": "x""#))
    #expect(await harness.plugin("amp") == "Simulated")
    #expect(harness.target.reopened == ["amp", "lights"])
    await harness.edit(
      RuntimeHarness.text(
        amp: #""plugin": "ALSAAmplifier", "options": {"device": "null"}"#,
        lights: #""plugin": "Simulated", "process": "x""#))
    #expect(await harness.plugin("amp") == "ALSAAmplifier")
    #expect(harness.target.reopened == ["amp", "lights", "amp"])
  }

  @Test("F6 · a saved swap changes the text of its entry alone, and is not applied twice")
  func saved() async throws {
    let harness = try RuntimeHarness()
    _ = try await harness.runtime.swap(
      "lights", to: Self.choice("Simulated", options: ["speed": 3]),
      by: RuntimeHarness.administrator)
    _ = try await harness.runtime.swap(
      "amp", to: Self.choice("Simulated", options: ["speed": 2], save: true),
      by: RuntimeHarness.administrator)
    let saved = RuntimeHarness.text(amp: #""plugin": "Simulated", "options": {"speed": 2}"#)
    #expect(harness.store.writes.map { String(decoding: $0, as: UTF8.self) } == [saved])
    // The swap of the other device, which was not saved, stays in force.
    #expect(harness.target.hosted.first { $0.id == "lights" }?.options["speed"] == 3)
    #expect(harness.target.applied == 2)
    await harness.runtime.reload()
    #expect(harness.target.applied == 2)
  }

  @Test(
    "F6 · refuses a swap that does not fit, names the path of the mistake, and changes nothing",
    arguments: [
      (Self.choice("Simulated", options: ["speed": 1001]), "$.devices.amp.options.speed"),
      (Self.choice("Simulated", options: ["sped": 1]), "$.devices.amp.options.sped"),
      (Self.choice("Simulate"), "$.devices.amp.plugin"),
      (Self.choice("LibavPlayer"), "$.devices.amp.plugin"),
      (Self.choice("ALSAAmplifier", process: "a b"), "$.devices.amp.process"),
      (
        Self.choice("ALSAAmplifier", options: ["device": ["secret": "x"]]),
        "$.devices.amp.options.device"
      ),
    ])
  func wrong(choice: PluginChoice, place: String) async throws {
    let harness = try RuntimeHarness()
    for isSaved in [false, true] {
      var choice = choice
      choice.isSaved = isSaved
      let error = try await #require(throws: TheaterError.self) {
        try await harness.runtime.swap("amp", to: choice, by: RuntimeHarness.administrator)
      }
      #expect(error.code == .invalid && error.device == "amp")
      #expect(error.message.hasPrefix(place + ": "), "\(error.message)")
    }
    #expect(harness.target.applied == 0 && harness.store.writes.isEmpty)
    #expect(await harness.plugin("amp") == "ALSAAmplifier")
  }

  @Test("F5 F6 · refuses unknown devices, and principals without the permission")
  func refusedSwap() async throws {
    let harness = try RuntimeHarness()
    let unknown = try await #require(throws: TheaterError.self) {
      try await harness.runtime.swap(
        "light", to: Self.choice("Simulated"), by: RuntimeHarness.administrator)
    }
    #expect(unknown.code == .notFound && unknown.hint?.contains("lights") == true)
    var member = RuntimeHarness.administrator
    member.permissions = [.view, .play, .operate, .account]
    let forbidden = try await #require(throws: TheaterError.self) {
      try await harness.runtime.swap("lights", to: Self.choice("Simulated"), by: member)
    }
    #expect(forbidden.code == .forbidden)
    #expect(harness.target.applied == 0)
  }

  @Test("F6 · does not save into a file with mistakes, or one that cannot be written")
  func unsaved() async throws {
    let harness = try RuntimeHarness()
    let choice = Self.choice("Simulated", save: true)
    await harness.edit("{")
    let mistakes = try await #require(throws: TheaterError.self) {
      try await harness.runtime.swap("amp", to: choice, by: RuntimeHarness.administrator)
    }
    #expect(mistakes.code == .notNow)
    await harness.edit(RuntimeHarness.text())
    harness.store.failWrites(with: TheaterError(.notNow, "the disk is full"))
    let full = try await #require(throws: TheaterError.self) {
      try await harness.runtime.swap("amp", to: choice, by: RuntimeHarness.administrator)
    }
    #expect(full.message == "the disk is full")
    #expect(harness.target.applied == 0)
    #expect(await harness.plugin("amp") == "ALSAAmplifier")
    // A swap that is not saved works even while the file has mistakes.
    await harness.edit("{")
    _ = try await harness.runtime.swap(
      "amp", to: Self.choice("Simulated"), by: RuntimeHarness.administrator)
    #expect(await harness.plugin("amp") == "Simulated")
  }

  @Test("F6 · a swap that is to be saved says that the file cannot be read")
  func unreadable() async throws {
    let harness = try RuntimeHarness()
    harness.store.failReads(with: "there is no such file")
    let refused = try await #require(throws: TheaterError.self) {
      try await harness.runtime.swap(
        "amp", to: Self.choice("Simulated", save: true), by: RuntimeHarness.administrator)
    }
    #expect(refused.code == .notNow)
    #expect(refused.message == "devices.json cannot be read: there is no such file")
    #expect(await harness.plugin("amp") == "ALSAAmplifier")
  }

  @Test("F6 · an edit that makes a swap impossible replaces it")
  func impossible() async throws {
    let harness = try RuntimeHarness(
      RuntimeHarness.text(amp: Self.simulated + #", "options": {"inputs": ["cd", "game"]}"#))
    _ = try await harness.runtime.swap(
      "amp", to: Self.choice("ALSAAmplifier"), by: RuntimeHarness.administrator)
    // A scene that needs an input which the swapped-in plugin does not have.
    await harness.edit(
      RuntimeHarness.text(
        amp: Self.simulated + #", "options": {"inputs": ["cd", "game"]}"#,
        more: #", "activities": {}"#
      ).replacing(#"{"lights": {"dim": 10}}"#, with: #"{"amp": {"input": "game"}}"#))
    #expect(await harness.plugin("amp") == "Simulated")
    #expect(await harness.runtime.refusal == nil)
    #expect(harness.log.lines.contains { $0.hasPrefix("warning") && $0.contains("do not fit") })
  }

  @Test("F6 · concurrent swaps and reloads take effect one after the other")
  func concurrent() async throws {
    let harness = try RuntimeHarness()
    await withDiscardingTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          if number % 4 == 0 {
            await harness.runtime.reload()
          } else {
            let device: DeviceID = number % 2 == 0 ? "amp" : "lights"
            _ = try? await harness.runtime.swap(
              device, to: Self.choice("Simulated", options: ["speed": .integer(number + 2)]),
              by: RuntimeHarness.administrator)
          }
        }
      }
    }
    #expect(await harness.runtime.current.hostedDevices == harness.target.hosted)
    #expect(harness.target.applied == 30)
  }
}
