import Devices
import JSON
import Synchronization
import TestSupport
import Testing

@testable import HomeTheater

@Suite struct LevelMonitorTests {
  private static func levels(_ peak: Double) throws -> SoundLevels {
    try #require(SoundLevels(peak: [peak], rms: [-120]))
  }

  @Test("F4 · an amplifier measures from the first subscriber to the end of the last one")
  func counting() throws {
    let theater = Theater()
    let (amp, monitor) = (theater["amp"], theater.facade.levels)
    #expect(!amp.isMetering)
    var first: LevelSubscription? = monitor.subscribe {}
    var second: LevelSubscription? = monitor.subscribe {}
    #expect(amp.isMetering && !theater["cd"].isMetering)
    first = nil
    #expect(amp.isMetering)
    second = nil
    #expect(!amp.isMetering)
    var third: LevelSubscription? = monitor.subscribe {}
    #expect(amp.isMetering)
    third = nil
    #expect(!amp.isMetering)
    withExtendedLifetime((first, second, third)) {}
  }

  @Test("F4 · a subscriber gets the newest levels alone, and none from before its time")
  func newest() throws {
    let theater = Theater()
    let (amp, monitor) = (theater["amp"], theater.facade.levels)
    let signals = Mutex(0)
    let early = monitor.subscribe { signals.withLock { $0 += 1 } }
    for peak in [-9.0, -8, -7] { amp.report(try Self.levels(peak)) }
    #expect(signals.withLock { $0 } == 3)
    let late = monitor.subscribe {}
    #expect(early.drain().map(\.json) == [["device": "amp", "peak": [-7], "rms": [-120]]])
    #expect(early.drain().isEmpty && late.drain().isEmpty)
    amp.report(try Self.levels(-6))
    #expect(early.drain().count == 1 && late.drain().map(\.levels.peak) == [[-6]])
  }

  @Test("F4 · levels are no events: the event log does not grow")
  func noEvents() throws {
    let theater = Theater()
    let subscription = theater.facade.levels.subscribe {}
    let before = theater.facade.events.sequence
    for _ in 0..<100 { theater["amp"].report(try Self.levels(-6)) }
    #expect(theater.facade.events.sequence == before)
    withExtendedLifetime(subscription) {}
  }

  @Test("F4 F6 · an amplifier that replaces another measures in its place")
  func replaced() async throws {
    let theater = Theater()
    let old = theater["amp"]
    let new = FakeDevice("amp", .amplifier)
    let administrator = Principal(
      user: nil, permissions: [.administer], activities: nil, volumeLimit: nil, ageLimit: nil)
    let subscription = theater.facade.levels.subscribe {}
    let others = theater.devices.values.filter { $0.id != "amp" }
    try await theater.facade.apply(.evening, devices: others + [new], by: administrator)
    #expect(new.isMetering && !old.isMetering)
    new.report(try Self.levels(-5))
    #expect(subscription.drain().map(\.levels.peak) == [[-5]])
    new.report(try Self.levels(-4))
    try await theater.facade.apply(.evening, devices: others, by: administrator)
    #expect(!new.isMetering && subscription.drain().isEmpty)
  }
}
