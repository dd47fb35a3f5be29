import Devices
import HomeTheater
import JSON
import PluginProtocol
import Testing

@testable import TheaterConfiguration

/// Cables from an amplifier to another one.
@Suite struct ChainTests {
  /// Amplifiers that take wires, and sound cards that do not.
  private static let plugins = KnownPlugins([
    Manifest(
      id: "Box", version: "1.0", command: ["./Box"],
      roles: [
        .amplifier: Manifest.RoleOffer(cables: [.pcm, .alsa]),
        .cdPlayer: Manifest.RoleOffer(cables: [.pcm]),
      ]),
    Manifest(
      id: "Gear", version: "1.0", command: ["./Gear"],
      roles: [.amplifier: Manifest.RoleOffer(cables: [.wired])]),
  ])

  private static func text(
    _ cables: String, activity: String = #""player": "cd""#, third: String = "Gear"
  ) -> String {
    """
    {"devices": {
      "cd": {"role": "cdPlayer", "plugin": "Box"},
      "card": {"role": "amplifier", "plugin": "Box"},
      "receiver": {"role": "amplifier", "plugin": "Gear"},
      "third": {"role": "amplifier", "plugin": "\(third)"}},
     "cables": [{"from": "cd", "to": "card", "input": "cd"}, \(cables)],
     "scenes": {
      "start": {"steps": [{"card": ["on", {"input": "cd"}]}, {"receiver": "on"}, {"cd": "play"}]},
      "end": {"steps": [{"cd": "off"}, {"receiver": "off"}]}},
     "activities": {"music": {"start": "start", "end": "end", \(activity)}}}
    """
  }

  @Test(
    "the amplifier of an activity is the last of its chain, also where the file names the first")
  func last() throws {
    let cable = #"{"from": "card", "to": "receiver", "input": "pc"}"#
    for activity in [#""player": "cd""#, #""player": "cd", "amplifier": "card""#] {
      let text = Self.text(cable, activity: activity)
      let plan = try Fixtures.read(text, plugins: Self.plugins).plan
      #expect(plan.activities["music"]?.amplifier == "receiver")
      #expect(
        plan.cables.last
          == CableEdge(from: "card", to: "receiver", input: "pc", level: 100))
    }
    let level = #"{"from": "card", "to": "receiver", "input": "pc", "level": 80}"#
    let plan = try Fixtures.read(Self.text(level), plugins: Self.plugins).plan
    #expect(plan.cables.map(\.level) == [nil, 80])
  }

  @Test("a chain of three, and an amplifier that takes no wire, are named with their place")
  func mistakes() {
    let three = """
      {"from": "card", "to": "receiver", "input": "pc"},
      {"from": "receiver", "to": "third", "input": "pre"}
      """
    let long = Fixtures.problems(Self.text(three), plugins: Self.plugins)
    #expect(long.map(\.path.description) == ["$.cables[1].to"])
    #expect(
      long.first?.message
        == "\"card\", \"receiver\" and \"third\" are more than two amplifiers in a row")
    let wireless = Fixtures.problems(
      Self.text(#"{"from": "card", "to": "third", "input": "pc"}"#, third: "Box"),
      plugins: Self.plugins)
    #expect(wireless.map(\.path.description) == ["$.cables[1]"])
    #expect(wireless.first?.message.contains("\"third\" takes no wire") == true)
    let loud = Fixtures.problems(
      Self.text(#"{"from": "card", "to": "receiver", "input": "pc", "level": 101}"#),
      plugins: Self.plugins)
    #expect(loud.map(\.path.description) == ["$.cables[1].level"])
  }
}
