import Devices
import HomeTheater
import JSON
import Scenes
import TestSupport
import Testing

@testable import TheaterConfiguration

@Suite("E7 · the 200 stored texts in a configuration")
struct StoredTextTests {
  /// The texts, quoted for JSON.
  private static func payloads() throws -> [(text: String, json: String)] {
    try StoredPayload.all().map { ($0.text, JSON.string($0.text).text()) }
  }

  @Test(
    "titles, ids, artists and albums are kept to the last code point, or refused at their place"
  )
  func titles() throws {
    var kept = 0
    for (text, json) in try Self.payloads() {
      let whole = #"""
        {"devices": {"amp": {"role": "amplifier", "plugin": "Pretend"},
                     "cd": {"role": "cdPlayer", "plugin": "Pretend"}},
         "scenes": {"a": {"title": \#(json), "steps": []}, "b": {"steps": []}},
         "activities": {"music": {"title": \#(json), "start": "a", "end": "b", "player": "cd"}},
         "library": {"films": [{"id": \#(json), "title": \#(json)}],
                     "songs": [{"id": "s", "title": \#(json), "artist": \#(json), "album": \#(json)}],
                     "stations": [{"title": \#(json), "fm": 98.5}]}}
        """#
      let configuration: TheaterConfiguration
      do {
        configuration = try Fixtures.read(whole)
      } catch {
        #expect(error.problems.allSatisfy { $0.position != nil && !$0.message.isEmpty }, "\(json)")
        #expect(text.unicodeScalars.count > 200 || error.problems.contains { $0.kind == .shape })
        continue
      }
      kept += 1
      let plan = configuration.plan
      let texts = [
        plan.scenes["a"]?.title, plan.activities["music"]?.title, plan.library.films.first?.id,
        plan.library.films.first?.title, plan.library.songs.first?.title,
        plan.library.songs.first?.artist, plan.library.songs.first?.album,
        plan.library.stations.first?.title,
      ]
      for found in texts {
        #expect(found.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars), "\(json)")
      }
    }
    #expect(kept > 150)
  }

  @Test("a name of a device, scene, activity or parameter has letters, digits, - and _ alone")
  func names() throws {
    let isName = /[A-Za-z][A-Za-z0-9_-]{0,63}/
    for (text, json) in try Self.payloads() {
      let problems = Fixtures.problems(
        #"{"devices": {\#(json): {"role": "lights", "plugin": "Pretend"}}}"#
      ).filter { $0.severity == .error }
      let scenes = Fixtures.problems(
        #"""
        {"devices": {"lamp": {"role": "lights", "plugin": "Pretend"}},
         "scenes": {\#(json): {"steps": [{"lamp": "on"}]}}}
        """#
      ).filter { $0.severity == .error }
      guard text.wholeMatch(of: isName) != nil else {
        #expect(!problems.isEmpty && !scenes.isEmpty, "\(json)")
        continue
      }
      #expect(scenes.isEmpty, "\(json): \(scenes)")
    }
  }

  @Test("an option of a plugin is given to it as it is, or refused")
  func options() throws {
    for (text, json) in try Self.payloads() {
      let whole = #"""
        {"devices": {"lamp": {"role": "lights", "plugin": "Pretend",
                              "options": {"faults": {"refuses": [\#(json)]}}}}}
        """#
      let lamp = try Fixtures.read(whole)["lamp"]
      let found = lamp?.options.written["faults"]?["refuses"]?.array?.first?.string
      #expect(found.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars), "\(json)")
    }
  }
}
