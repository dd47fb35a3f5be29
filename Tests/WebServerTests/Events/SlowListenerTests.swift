import APIClient
import Devices
import HomeTheater
import JSON
import NIOCore
import TestSupport
import Testing

@testable import WebServer

@Suite struct SlowListenerTests {
  private static let count = 100_000
  private static let names = (0..<10).map { DeviceID("lamp\($0)") }

  /// Changes 100,000 times what ten lamps report, as fast as it goes.
  private static func changeEverything(_ log: EventLog) {
    for number in 1...count {
      var state = DeviceState()
      state.update(Reading(.integer(number), time: .zero), for: .brightness)
      log.publish(
        .device(
          TheaterPlan().description(of: names[number % names.count], role: .lights),
          DeviceSnapshot(state: state, availability: .available, generation: 1)))
    }
  }

  private static func brightness(_ event: ServerSentEvent) -> Int? {
    event.json["state"]?["brightness"]?["value"]?.integer
  }

  @Test(
    "keeps other clients up to date while one does not read 100,000 changes",
    .timeLimit(.minutes(2)))
  func asleep() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      let log = room.theater.events
      try await room.connection { inbound, outbound in
        try await outbound.write(room.listening(owner.token ?? ""))
        var parts = inbound.makeAsyncIterator()
        var text = ""
        while !text.contains("event: snapshot"), let part = try await parts.next() {
          text += String(buffer: part)
        }
        let (opening, opened) = AsyncStream<Void>.makeStream()
        async let heard: Int = {
          var last = 0
          _ = try await owner.listen(isChecked: false) { event in
            if event.name == "snapshot" { opened.finish() }
            last = Self.brightness(event) ?? last
            return last < Self.count
          }
          return last
        }()
        for await _ in opening {}
        Self.changeEverything(log)
        let start = ContinuousClock.now
        #expect(try await heard == Self.count)
        #expect(start.duration(to: .now) < .seconds(30))
        #expect(log.count <= 3 * EventLog.capacity)
        #expect(await eventually { room.streams.count == 1 })

        let newest = "\"brightness\":{\"value\":\(Self.count),"
        var bytes = 0
        var end = ""
        while !end.contains(newest), let part = try await parts.next() {
          bytes += part.readableBytes
          end = end.suffix(2000) + String(buffer: part)
        }
        #expect(end.contains(newest))
        // All of it would be 40 MB.
        #expect(bytes < 4 * 1024 * 1024)
        // It is a listener like any other again.
        log.publish(.other(.configuration, "good morning"))
        while !end.contains("good morning"), let part = try await parts.next() {
          end = end.suffix(2000) + String(buffer: part)
        }
        #expect(end.contains("good morning"))
      }
    }
  }

  @Test("sends the latest state of each device after 100,000 missed changes")
  func away() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let log = room.theater.events
      let last = log.currentID
      Self.changeEverything(log)
      var newest: [String: Int] = [:]
      var names: Set<String> = []
      _ = try await owner.listen(after: last, isChecked: false) { event in
        names.insert(event.name)
        if let id = event.json["id"]?.string { newest[id] = Self.brightness(event) }
        return event.id != log.currentID
      }
      #expect(names == ["device"])
      let expected = Set(Self.count - Self.names.count + 1...Self.count)
      #expect(Set(newest.values) == expected)
      #expect(newest.count == Self.names.count)
    }
  }
}
