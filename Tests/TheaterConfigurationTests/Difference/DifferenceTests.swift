import Foundation
import JSON
import Testing

@testable import TheaterConfiguration

@Suite("The difference between two configurations")
struct DifferenceTests {
  /// The lines of the difference when one text is replaced in the whole example.
  private static func lines(_ old: String, _ new: String) throws -> [String] {
    let difference = ConfigurationDifference(
      from: try Fixtures.read(Fixtures.whole),
      to: try Fixtures.read(Fixtures.whole(old, new)))
    return difference.text.split(separator: "\n").map(String.init)
  }

  @Test(
    "F6 · names each entry that differs, with its keys; with a new plugin its options as a whole",
    arguments: [
      (
        #""popper": {"role""#,
        #""second": {"role": "lights", "plugin": "Pretend"}, "popper": {"role""#,
        ["+ devices.second"]
      ),
      (
        #""device": "hw:1""#, #""device": "hw:2", "quiet": true"#,
        ["~ devices.amp: options.device, options.quiet"]
      ),
      (
        #""speed": 2.5, "faults": {"refuses": ["eject"]}"#, #""faults": {"refuses": []}"#,
        ["~ devices.cd: options.faults.refuses, options.speed"]
      ),
      (
        #""plugin": "Speaker", "options": {"device": "hw:1", "extras": [{"key": "a"}, {"key": null, "weight": 2}]}"#,
        #""plugin": "Pretend", "options": {"speed": 3}"#, ["~ devices.amp: options, plugin"]
      ),
      (#""process": "discs""#, #""process": "films""#, ["~ devices.dvd: process"]),
      (#""plugin": "Pretend", "process": "discs""#, #""plugin": "Wired""#, []),
      (#", "input": "cd"}"#, #", "input": "disc"}"#, ["~ cables.cd: input"]),
      (#", {"from": "cd", "to": "amp", "input": "cd"}"#, "", ["- cables.cd"]),
      (#"{"wait": "1.5 min"}"#, #"{"wait": "2 min"}"#, ["~ scenes.evening: steps"]),
      (#""title": "Watch""#, #""title": "See""#, ["~ scenes.watch-film: title"]),
      (#""title": "Film", "start""#, #""start""#, ["~ activities.film: title"]),
      (#""whenEnded": "stay""#, #""whenEnded": "end""#, ["~ activities.film: whenEnded"]),
      (#""whenFailed": "90 s""#, #""whenFailed": "stay""#, ["~ activities.film: whenFailed"]),
      (
        #""endsWithout": ["dvd", "amp"]"#, #""endsWithout": ["dvd"]"#,
        ["~ activities.film: endsWithout"]
      ),
      (#""duration": 120.5"#, #""duration": 120"#, ["~ library.films.ferry: duration"]),
      (#""id": "bus""#, #""id": "tram""#, ["- library.songs.bus", "+ library.songs.tram"]),
      (
        #"{"title": "Lantern", "fm": 98.5}"#, #"{"title": "Lantern", "fm": 98.7}"#,
        ["~ library.stations.Lantern: frequency"]
      ),
      ("/srv/music", "/srv/songs", ["~ library.folders: folders"]),
      ("more-plugins", "other-plugins", ["~ pluginFolders: folders"]),
      (#""port": 8443"#, #""port": 8444"#, ["~ web: port (takes effect at the next start)"]),
      (
        #""library": {"#,
        #""accounts": {"demo": true, "delivery": {"email": "log"}}, "library": {"#,
        ["~ accounts: delivery.email, demo (takes effect at the next start)"]
      ),
    ] as [(String, String, [String])])
  func named(old: String, new: String, expected: [String]) throws {
    // A plugin whose cable does not fit is refused before anything is compared.
    guard !expected.isEmpty else {
      #expect(throws: InvalidConfiguration.self) { try Self.lines(old, new) }
      return
    }
    #expect(try Self.lines(old, new) == expected)
  }

  @Test("F6 · finds no difference in layout, order of keys, and defaults that are written out")
  func same() throws {
    #expect(try Self.lines(#""speed": 2.5"#, #""speed"   :   2.5"#) == [])
    #expect(
      try Self.lines(#""device": "hw:1""#, #""whenMissing": "fail", "device": "hw:1""#) == [])
    let one = try Fixtures.read(Fixtures.whole)
    #expect(ConfigurationDifference(from: one, to: one).isEmpty)
  }

  @Test("F6 · the difference in the other direction has the opposite change")
  func opposite() throws {
    let one = try Fixtures.read(Fixtures.whole)
    let two = try Fixtures.read(
      Fixtures.whole(#", {"from": "cd", "to": "amp", "input": "cd"}"#, ""))
    let there = ConfigurationDifference(from: one, to: two).changes
    let back = ConfigurationDifference(from: two, to: one).changes
    #expect(there.map(\.kind) == [.removed] && back.map(\.kind) == [.added])
    #expect(there.map(\.place) == ["cables.cd"] && back.map(\.place) == ["cables.cd"])
  }

  @Test("F6 · the JSON form tells changes at once from changes at the next start")
  func json() throws {
    let difference = ConfigurationDifference(
      from: try Fixtures.read(Fixtures.whole),
      to: try Fixtures.read(
        Fixtures.whole(#""process": "discs""#, #""process": "films""#)
          .replacing(#""port": 8443"#, with: #""port": 1"#)))
    #expect(
      difference.json == [
        [
          "kind": "changed", "section": "devices", "name": "dvd", "keys": ["process"],
          "live": true,
        ],
        ["kind": "changed", "section": "web", "keys": ["port"], "live": false],
      ])
    #expect(difference.live.map(\.place) == ["devices.dvd"])
  }

  @Test("F6 · a secret's new text is a difference, and no form shows a value or a secret")
  func secrets() throws {
    let text = Fixtures.whole(
      #""device": "hw:1""#,
      #""device": {"secret": "card"}, "password": {"secret": "radio-password"}, "#
        + #""impulse": "/hall/xyzzy", "buffer": 123"#)
    func read(_ password: String, _ text: String = text) throws -> TheaterConfiguration {
      try Fixtures.read(
        text, secrets: PocketSecrets(texts: ["card": "hw:7", "radio-password": password]))
    }
    let changed = ConfigurationDifference(from: try read("xyzzy-1"), to: try read("xyzzy-2"))
    #expect(changed.text == "~ devices.amp: options.password")
    let more = ConfigurationDifference(
      from: try read("xyzzy-1"),
      to: try read(
        "xyzzy-2",
        text.replacing("/hall/xyzzy", with: "/hall/plugh").replacing("123", with: "124")))
    #expect(more.text == "~ devices.amp: options.buffer, options.impulse, options.password")
    var dumped = ""
    dump([changed, more], to: &dumped)
    for shown in [changed.text, more.text, changed.json.text(), more.json.text(), dumped] {
      for value in ["xyzzy", "plugh", "hw:7", "123", "124", "radio-password"] {
        #expect(!shown.contains(value))
      }
    }
  }

  @Test("F6 · a hostile name stays on its line")
  func names() throws {
    let lines = try Self.lines(#""id": "bus""#, #""id": "a\nb\u001b[2J""#)
    #expect(lines.count == 2 && lines.allSatisfy { !$0.contains("\u{1B}") })
  }
}
