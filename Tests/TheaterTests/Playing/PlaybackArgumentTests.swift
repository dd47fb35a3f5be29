import ArgumentParser
import JSON
import Testing

@testable import theater

@Suite struct PlaybackArgumentTests {
  @Test(
    "parses a position",
    arguments: [
      ("12:30", 750, false), ("1:02:03", 3723, false), ("90", 90, false), ("90.5", 90.5, false),
      ("+30", 30, true), ("-30", -30, true), ("-1:00", -60, true), ("0:00", 0, false),
    ] as [(String, Double, Bool)])
  func places(text: String, seconds: Double, isRelative: Bool) throws {
    let place = try SeekTarget(text)
    #expect(place.seconds == seconds)
    #expect(place.isRelative == isRelative)
  }

  @Test(
    "rejects an invalid position",
    arguments: [
      "", "x", "1:60", "1:2:3:4", "1:-2", "--5", "+", "1e9999", "nan", "12:30x", ":30", "1::2",
      "٣", "99999:00:00",
    ])
  func wrongPlaces(text: String) {
    #expect(throws: ValidationError.self) { try SeekTarget(text) }
  }

  @Test("an activity can be named, and an item left out")
  func activities() throws {
    let plain = try #require(try Theater.parseAsRoot(["listen"]) as? Listen).options
    #expect(plain.choice.activity == nil)
    let words = ["watch", "--activity", "bed room", "--from-start"]
    let named = try #require(try Theater.parseAsRoot(words) as? Watch).options
    #expect(named.choice.activity == "bed room")
    #expect(named.resuming.start == .beginning)
  }

  @Test(
    "parses a volume and a change of it",
    arguments: [
      ("40", 40, false), ("40%", 40, false), ("+5", 5, true), ("-5", -5, true), ("0", 0, false),
      ("100", 100, false),
    ])
  func volumes(text: String, points: Int, isRelative: Bool) throws {
    let volume = try VolumeArgument(words: [text])
    #expect(volume.points == points)
    #expect(volume.isRelative == isRelative)
  }

  @Test(
    "rejects an invalid volume",
    arguments: [["101"], ["x"], [], ["1", "2"], ["+101"], ["4.5"], [""]])
  func wrongVolumes(words: [String]) {
    #expect(throws: ValidationError.self) { try VolumeArgument(words: words) }
  }
}
