import JSON
import Testing

@testable import Devices

@Suite("The cap of an amplifier's loudness") struct LoudnessCapTests {
  private static let role = Role.amplifier

  private static func state(_ values: [StateKey: JSON]) -> DeviceState {
    DeviceState(readings: values.mapValues { Reading($0, time: .zero) })
  }

  private static func command(_ json: JSON) throws -> Command { try Command(json, role: role) }

  @Test(
    "a volume above the limit becomes the limit, any other command stays",
    arguments: [
      (["volume": 31], 30, ["volume": 30]), (["volume": 30], 30, ["volume": 30]),
      (["volume": 80], 0, ["volume": 0]), (["volume": 80], nil, ["volume": 80]),
      ("mute", 30, "mute"), (["input": "dvd"], 30, ["input": "dvd"]),
    ] as [(JSON, Int?, JSON)])
  func limited(command: JSON, limit: Int?, expected: JSON) throws {
    #expect(LoudnessCap(limit: limit).limited(try Self.command(command)).json == expected)
  }

  @Test(
    "lowers a louder and an unknown volume",
    arguments: [(31, ["volume": 30]), (30, nil), (0, nil), (nil, ["volume": 30])]
      as [(Int?, JSON?)])
  func lowering(volume: Int?, expected: JSON?) {
    let state = Self.state(volume.map { [.volume: .integer($0)] } ?? [:])
    #expect(LoudnessCap(limit: 30).lowering(in: state, role: Self.role)?.json == expected)
    #expect(LoudnessCap().lowering(in: state, role: Self.role) == nil)
  }

  @Test("corrects the volume with which an amplifier starts, but none that is chosen later")
  func start() {
    var cap = LoudnessCap(limit: 30)
    let loud = Self.state([.power: "on", .volume: 90])
    #expect(cap.afterReport(in: loud, role: Self.role, at: .zero) == nil)
    cap.recordStart()
    #expect(cap.afterReport(in: loud, role: Self.role, at: .seconds(1))?.json == ["volume": 30])
    let end = Duration.seconds(1) + LoudnessCap.startTime
    #expect(cap.afterReport(in: loud, role: Self.role, at: end)?.json == ["volume": 30])
    let later = end + .milliseconds(1)
    #expect(cap.afterReport(in: loud, role: Self.role, at: later) == nil)
    #expect(cap.afterReport(in: loud, role: Self.role, at: .seconds(2)) == nil)
  }

  @Test("waits for the start of an amplifier that takes long to turn on")
  func slowStart() {
    var cap = LoudnessCap(limit: 30)
    cap.recordStart()
    let off = Self.state([.power: "off", .volume: 90])
    #expect(cap.afterReport(in: off, role: Self.role, at: .seconds(60)) == nil)
    let loud = Self.state([.power: "on", .volume: 90])
    #expect(cap.afterReport(in: loud, role: Self.role, at: .seconds(90))?.json == ["volume": 30])
  }

  @Test(
    "an amplifier that reports no volume after \"on\" gets the one that it had, within the limit",
    arguments: [(90, ["volume": 30]), (nil, ["volume": 30]), (20, ["volume": 20])]
      as [(Int?, JSON)])
  func silentStart(volume: Int?, expected: JSON) {
    var cap = LoudnessCap(limit: 30)
    cap.recordStart()
    let on = Self.state(volume.map { [.power: "off", .volume: .integer($0)] } ?? [:])
    #expect(cap.afterTurningOn(in: on, role: Self.role)?.json == expected)
    // One that reports a volume within the limit is left alone.
    cap.recordStart()
    let soft = Self.state([.power: "on", .volume: 10])
    #expect(cap.afterReport(in: soft, role: Self.role, at: .zero) == nil)
    #expect(cap.afterTurningOn(in: soft, role: Self.role) == nil)
  }

  @Test("mutes an amplifier that stays too loud")
  func stubborn() {
    var cap = LoudnessCap(limit: 30)
    cap.recordStart()
    let loud = Self.state([.power: "on", .volume: 90])
    var sent: [JSON] = []
    for _ in 0..<10 {
      if let command = cap.afterReport(in: loud, role: Self.role, at: .zero) {
        sent.append(command.json)
      }
    }
    #expect(sent == Array(repeating: ["volume": 30], count: LoudnessCap.mostCorrections) + ["mute"])
  }

  @Test("a device without a volume needs nothing")
  func lamp() {
    var cap = LoudnessCap(limit: 30)
    cap.recordStart()
    let on = Self.state([.power: "on", .volume: 90])
    #expect(cap.afterTurningOn(in: on, role: .lights) == nil)
    #expect(cap.afterReport(in: on, role: .lights, at: .zero) == nil)
    #expect(cap.silence(role: .lights) == nil)
  }
}
