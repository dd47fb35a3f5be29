import Devices
import JSON
import Testing

@Suite("E15 · the values that a device may report")
struct StateShapeTests {
  @Test("E15 · each key admits its own values and refuses others")
  func values() {
    let percents: [JSON] = [0, 100, 10.0]
    let wrongPercents: [JSON] = [-5, 101, 12.5, "12", true, nil, 1e300, []]
    let cases: [(StateKey, admitted: [JSON], refused: [JSON])] = [
      (.power, ["off", "warming", "on", "cooling", "unknown"], ["purple", "", 1, nil, true]),
      (.input, ["dvd", nil], ["", 3, .string(String(repeating: "x", count: 201))]),
      (.mode, ["stereo", "surround"], ["mono", nil, 5.1]),
      (.volume, percents, wrongPercents), (.brightness, percents, wrongPercents),
      (.muted, [true, false], [0, "true", nil]),
      (.tray, ["open", "closed", "moving"], ["ajar", nil]),
      (.audio, ["surround", "twoChannel"], ["stereo", nil]),
      (.band, ["am", "fm"], ["dab", nil]),
      (.frequency, [76, 98.5, 108, 520, 1710, nil], [75.9, 108.1, 519, 1711, -98.5, "98.5"]),
      (.station, ["Harbour Jazz", nil], ["", 7]),
      (.picture, ["tv", "wideScreen"], ["cinema", nil]),
      (.position, ["up", "down", "moving", "stopped"], ["middle", 0.5, nil]),
      (.popping, ["idle", "popping", "done"], ["burnt", nil]),
      (
        .playback, [Playback(.playing, item: "x").json, ["state": "ended"]], ["playing", nil, [:]]
      ),
    ]
    #expect(Set(cases.map(\.0)) == Set(StateKey.allCases))
    for (key, admitted, refused) in cases {
      for value in admitted { #expect(key.shape.admits(value), "\(key) \(value)") }
      for value in refused { #expect(!key.shape.admits(value), "\(key) \(value)") }
      #expect(!key.shape.expectation.isEmpty)
    }
  }

  @Test(
    "E15 · each command settles to a value that its role reports", arguments: Role.allCases)
  func settledValues(role: Role) {
    for spec in role.commands {
      guard let key = spec.settled.key else { continue }
      #expect(role.stateKeys.contains(key), "\(spec.name)")
      let values: [JSON] =
        switch spec.settled {
        case .value(_, let value): [value]
        case .anyValue(_, let values): values
        case .playback(let statuses): statuses.map { Playback($0).json }
        case .argument, .accepted: []
        }
      for value in values { #expect(key.shape.admits(value), "\(spec.name) \(value)") }
    }
  }

  @Test(
    "E15 · rejects a playback with a number out of range",
    arguments: [
      ["position": -1], ["duration": -1], ["position": 1e300], ["duration": 1e18],
      ["rate": 1e300], ["rate": -65], ["rate": 65],
    ] as [JSON])
  func playbackNumbers(_ members: JSON) {
    var object: JSONObject = ["state": "playing", "item": "x"]
    for (key, value) in members.object ?? [:] { object[key] = value }
    #expect(Playback(.object(object)) == nil)
    #expect(!StateKey.playback.shape.admits(.object(object)))
  }

  @Test("E15 · a radio that has played for a year is not out of range")
  func longPlayback() {
    #expect(Playback(["state": "playing", "position": 31_622_400])?.position == 31_622_400)
  }

  @Test("E15 · a position beyond the duration counts as the duration")
  func positionBeyondTheEnd() {
    let playback = Playback(["state": "playing", "item": "x", "position": 75, "duration": 60])
    #expect(playback?.position == 60 && playback?.duration == 60)
  }

  @Test("E9 · numbers of an item that are out of range are left out")
  func itemNumbers() throws {
    let json: JSON = [
      "id": "a", "title": "A", "track": -1, "duration": 1e300, "channels": 9_000_000_000,
    ]
    let item = try #require(CatalogueItem(json))
    #expect(item == CatalogueItem(id: "a", title: "A"))
    let good = CatalogueItem(id: "a", title: "A", track: 12, duration: 61.5, channels: 6)
    #expect(CatalogueItem(good.json) == good)
  }

  @Test("E9 · a catalogue holds 100,000 items or 32 MiB, whichever is reached first")
  func budget() {
    var budget = CatalogueBudget()
    let song = CatalogueItem(id: "a", title: "A")
    let songs = (0..<100_010).filter { _ in budget.admit(song) }
    #expect(songs.count == 100_000)
    var other = CatalogueBudget()
    let large = CatalogueItem(id: "a", title: String(repeating: "x", count: 1 << 20))
    let admitted = (0..<40).filter { _ in other.admit(large) }
    #expect(admitted.count == 31)
    let hasRoom = other.admit(song)
    #expect(hasRoom, "a smaller item still fits")
  }
}
