import Devices
import JSON
import Testing

@Suite("E15 · states, playback and settled commands")
struct StateTests {
  private func state(_ values: [StateKey: JSON], _ provenance: Provenance = .reported)
    -> DeviceState
  {
    var state = DeviceState()
    for (key, value) in values {
      state.update(Reading(value, provenance: provenance, time: .seconds(1)), for: key)
    }
    return state
  }

  @Test("E15 · an outdated value counts as unknown, but stays visible with its age")
  func forgets() {
    var state = state([.power: "on", .volume: 40])
    state.markUnknown()
    #expect(state.power == .unknown)
    #expect(state.volume == nil)
    let json = state.json(now: .seconds(3.5))
    #expect(json["volume"] == ["value": 40, "provenance": "unknown", "age": 2.5])
  }

  @Test("E15 · reads a state as its type, and an invalid one as unknown")
  func types() {
    let state = state([
      .power: "purple", .volume: "loud", .muted: true, .input: "dvd", .brightness: 10.0,
      .playback: ["state": "levitating"],
    ])
    #expect(state.power == .unknown)
    #expect(state.volume == nil)
    #expect(state.isMuted == true)
    #expect(state.input == "dvd")
    #expect(state.brightness == 10)
    #expect(state.playback == nil)
  }

  @Test("E15 · a command settles by a value, by its argument, or by the playback")
  func settled() throws {
    let on = try Command("on", role: .projector)
    #expect(!on.spec.settled.isMet(by: state([.power: "warming"]), argument: nil))
    #expect(on.spec.settled.isMet(by: state([.power: "on"]), argument: nil))
    let volume = try Command(["volume": 40], role: .amplifier)
    #expect(volume.spec.settled.isMet(by: state([.volume: 40.0]), argument: volume.argument))
    #expect(!volume.spec.settled.isMet(by: state([.volume: 41]), argument: volume.argument))
    #expect(!volume.spec.settled.isMet(by: state([:]), argument: volume.argument))
    let play = try Command(["play": ["item": "a"]], role: .dvdPlayer)
    let playing = state([.playback: Playback(.playing, item: "a").json])
    let other = state([.playback: Playback(.playing, item: "b").json])
    let opening = state([.playback: Playback(.opening, item: "a").json])
    #expect(play.spec.settled.isMet(by: playing, argument: play.argument))
    #expect(!play.spec.settled.isMet(by: other, argument: play.argument))
    #expect(!play.spec.settled.isMet(by: opening, argument: play.argument))
    #expect(play.spec.settled.isMet(by: other, argument: nil), "play without an item")
    let seek = try Command(["seek": 5], role: .dvdPlayer)
    #expect(seek.spec.settled.isMet(by: state([:]), argument: seek.argument))
    #expect(seek.spec.settled.key == nil)
  }

  @Test("E9 · a position moves on from its anchor at the rate, and stays within the item")
  func anchors() {
    let playing = Playback(.playing, item: "a", position: 10, duration: 12)
    #expect(playing.position(after: .seconds(1)) == 11)
    #expect(playing.position(after: .seconds(5)) == 12)
    #expect(Playback(.paused, position: 10).position(after: .seconds(5)) == 10)
    #expect(Playback(.playing, position: 10).position(after: .seconds(5)) == 15, "a station")
    #expect(Playback(.playing, position: 1).position(after: .seconds(-5)) == 0)
  }

  @Test("E9 · playback survives a round trip through JSON; negative numbers are rejected")
  func playbackJSON() {
    let playback = Playback(
      .failed, item: "a", position: 1.2346, duration: 60.5, rate: 0, reason: "no disc")
    #expect(
      playback.json == [
        "state": "failed", "item": "a", "position": 1.235, "duration": 60.5, "rate": 0,
        "reason": "no disc",
      ])
    for status in Playback.Status.allCases {
      let playback = Playback(status, item: "a", position: 3, duration: 9, title: "b")
      #expect(Playback(playback.json) == playback)
    }
    #expect(Playback(["state": "playing", "position": -1]) == nil)
    #expect(Playback(["state": "playing", "duration": -1]) == nil)
    #expect(Playback(["position": 1]) == nil)
    #expect(Playback("playing") == nil)
  }

  @Test("E9 · an item survives a round trip through JSON; without an id or title it is rejected")
  func catalogue() {
    let item = CatalogueItem(
      id: "/a.flac", title: "A", artist: "B", album: "C", track: 2, duration: 3.5, format: "flac",
      channels: 2)
    #expect(CatalogueItem(item.json) == item)
    let bare = CatalogueItem(id: "a", title: "A")
    #expect(bare.json == ["id": "a", "title": "A"])
    #expect(CatalogueItem(["id": "a"]) == nil)
    #expect(CatalogueItem(["id": "", "title": "A"]) == nil)
  }

  @Test("E15 · attributes carry their unit and label")
  func attributes() {
    let state = DeviceState(attributes: [
      "b": Attribute(1), "a": Attribute(412, unit: "h", label: "Lamp"),
    ])
    #expect(
      state.attributesJSON.text()
        == #"{"a":{"value":412,"unit":"h","label":"Lamp"},"b":{"value":1}}"#)
  }

  @Test("E15 · the gain is the cube of the volume: 50 % is 1/8, 0 is silence, and 1 the most")
  func volumeCurve() {
    #expect(VolumeCurve.gain(0) == 0)
    #expect(VolumeCurve.gain(50) == 0.125)
    #expect(VolumeCurve.gain(100) == 1)
    #expect(VolumeCurve.gain(-5) == 0)
    #expect(VolumeCurve.gain(500) == 1)
    for volume in 1...100 { #expect(VolumeCurve.gain(volume) > VolumeCurve.gain(volume - 1)) }
  }

  @Test("an error reads: device, what happened, what to do")
  func errors() {
    let error = DeviceError(.notNow, "the lamp is cooling", hint: "Wait.", device: "beamer")
    #expect(error.description == "beamer: the lamp is cooling (Wait.)")
    #expect(DeviceError(.failed, "no answer").description == "no answer")
  }
}
