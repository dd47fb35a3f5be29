import AccountTestSupport
import APIClient
import Accounts
import Devices
import HomeTheater
import JSON
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import TestSupport
import Testing

@testable import WebServer

@Suite struct EventStreamTests {
  @Test("E2 · begins a stream with a snapshot, then sends each change with the next id")
  func snapshotFirst() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      var events: [ServerSentEvent] = []
      _ = try await owner.listen { event in
        events.append(event)
        if event.name == "snapshot" {
          await room.devices["lights"]?.report(.brightness, 40)
        }
        return Self.brightness(event) != 40
      }
      let first = try #require(events.first)
      #expect(first.name == "snapshot")
      #expect(first.json["devices"]?.array?.count == 8)
      #expect(first.json["event"]?.string == first.id)
      let last = try #require(events.last)
      #expect(last.name == "device")
      #expect(last.id.flatMap(room.theater.events.sequence(of:)) != nil)
    }
  }

  @Test("sends the missed events after Last-Event-ID, without a snapshot")
  func resume() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let events = room.theater.events
      events.publish(.other(.configuration, 1))
      let last = events.currentID
      events.publish(.other(.configuration, 2))
      events.publish(.other(.configuration, 3))
      var seen: [JSON] = []
      var names: Set<String> = []
      _ = try await owner.listen(after: last, isChecked: false) { event in
        names.insert(event.name)
        if event.name == "configuration" { seen.append(event.json) }
        if seen == [2, 3] { events.publish(.other(.configuration, 4)) }
        return seen.last != 4
      }
      #expect(seen == [2, 3, 4])
      #expect(!names.contains("snapshot"))
    }
  }

  @Test("E2 · clients at different places get each event once, in order")
  func manyPlaces() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let events = room.theater.events
      let count = 300
      for number in 1...count / 2 { events.publish(.other(.configuration, .integer(number))) }
      let last = try #require(events.currentID.split(separator: "-").last.flatMap { Int($0) })
      try await withThrowingTaskGroup { group in
        for missed in [0, 1, 40, 41, count / 2] {
          group.addTask {
            var seen: [Int] = []
            _ = try await owner.listen(
              after: "\(events.boot)-\(last - missed)", isChecked: false
            ) { event in
              if event.name == "configuration", let number = event.json.integer {
                seen.append(number)
              }
              return seen.last != count
            }
            #expect(seen == Array(count / 2 - missed + 1...count))
          }
        }
        #expect(await eventually { room.streams.count == 5 })
        for number in count / 2 + 1...count {
          events.publish(.other(.configuration, .integer(number)))
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("E2 · a stream that opens while the last one ends gets its snapshot and its events")
  func opensWhileLastEnds() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      for number in 1...50 {
        // The client before has only just gone, and the controller learns of that at about this time.
        var names: [String] = []
        _ = try await owner.listen(isChecked: false) { event in
          names.append(event.name)
          if event.name == "snapshot" { room.theater.events.publish(.other(.configuration, 1)) }
          return event.name != "configuration"
        }
        #expect(names.first == "snapshot" && names.last == "configuration", "\(number): \(names)")
      }
    }
  }

  @Test(
    "sends a snapshot for an id that is unknown, of an earlier start or of the future",
    arguments: ["nonsense", "other-5", "-1", "BOOT-999999", "BOOT--3", "BOOT-x"])
  func unknownID(id: String) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let id = id.replacing("BOOT", with: room.theater.events.boot)
      var first: String?
      _ = try await owner.listen(after: id, isChecked: false) { event in
        first = event.name
        return false
      }
      #expect(first == "snapshot")
    }
  }

  @Test("sends a snapshot for an id that is too old")
  func tooOldID() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let id = room.theater.events.currentID
      for number in 0...(3 * EventLog.capacity) {
        room.theater.events.publish(.other(.configuration, .integer(number)))
      }
      var first: String?
      _ = try await owner.listen(after: id, isChecked: false) { event in
        first = event.name
        return false
      }
      #expect(first == "snapshot")
    }
  }

  @Test("sends a snapshot to a client that is too slow")
  func slowListener() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let events = room.theater.events
      let filler = JSON.string(String(repeating: "x", count: 4096))
      var snapshots = 0
      var notes = 0
      _ = try await owner.listen(isChecked: false) { event in
        if event.name == "snapshot" { snapshots += 1 }
        if event.name == "configuration" { notes += 1 }
        if snapshots == 1, notes == 0 {
          // Far more than sockets and buffers hold, while this listener does not read.
          for _ in 0..<10_000 { events.publish(.other(.configuration, filler)) }
        }
        return snapshots < 2
      }
      #expect(snapshots == 2)
      #expect(notes < 10_000)
    }
  }

  @Test("A10 · ends the event stream at logout")
  func logOutEndsStream() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let other = try await room.logIn("ann@example.org")
      let refusal = try await owner.listen(isChecked: false) { event in
        if event.name == "snapshot" {
          // The end of another session of the same person does not end this stream.
          _ = try await other.send(.DELETE, "/api/v1/sessions/current")
          room.theater.events.publish(.other(.configuration, 1))
        }
        if event.name == "configuration" {
          _ = try await owner.send(.DELETE, "/api/v1/sessions/current")
        }
        return true
      }
      #expect(refusal == nil)
      let again = try await owner.listen { _ in true }
      #expect(again?.status == 401)
    }
  }

  @Test("F5 · sends a keep-alive every 15 s on an idle stream")
  func keepAlive() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let token = try await room.owner().token ?? ""
      try await room.connection { inbound, outbound in
        try await outbound.write(room.listening(token))
        var parts = inbound.makeAsyncIterator()
        var text = ""
        while !text.hasSnapshot, let part = try await parts.next() {
          text += String(buffer: part)
        }
        for _ in 0..<3 {
          await room.clock.waitForSleepers(1)
          room.clock.advance(by: KeepAliveTimer.interval)
          let part = try #require(try await parts.next())
          #expect(String(buffer: part).contains(": keep-alive\n\n"))
        }
      }
    }
  }

  @Test(
    "E15 A10 · an open event stream keeps a wall tablet's session open until the pass is revoked")
  func wallTablet() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      let made = try await owner.send(.POST, "/api/v1/guests", ["wallTablet": true]).json
      let pass: JSON = ["pass": .string(try #require(made["code"]?.string))]
      let entered = try await room.stranger.send(.POST, "/api/v1/guests/sessions", pass).json
      #expect(entered["wallTablet"] == true)
      let token = try #require(entered["token"]?.string)
      try await room.connection { inbound, outbound in
        try await outbound.write(room.listening(token))
        var parts = inbound.makeAsyncIterator()
        var text = ""
        while !text.hasSnapshot, let part = try await parts.next() {
          text += String(buffer: part)
        }
        for _ in 0..<3 {
          room.accountClock.advance(89 * 86_400)
          await room.clock.waitForSleepers(1)
          room.clock.advance(by: KeepAliveTimer.interval)
          let part = try #require(try await parts.next())
          #expect(String(buffer: part).contains(": keep-alive\n\n"))
        }
        let again = try await room.logIn("ann@example.org")
        let id = try #require(made["id"]?.string)
        #expect(try await again.send(.DELETE, "/api/v1/guests/\(id)").status == 204)
        // The controller closes the connection; the last bytes that it sent may be lost.
        while let part = try? await parts.next() { _ = part }
      }
    }
  }

  @Test("a guest gets the events of the rooms of the pass alone, and misses none of them")
  func guestRooms() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      var plan = room.theater.plan
      plan.rooms = [
        Room(id: "lounge", devices: ["dvd", "lights", "projector", "screen", "popper", "amp"]),
        Room(id: "den", devices: ["cd", "tuner"]),
      ]
      let all = Array(room.theater.devices.values)
      try await room.theater.apply(plan, devices: all, by: .owner("ann"))
      // The pass is for films.
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      var seen: [String] = []
      func listen(after id: String?) async throws {
        _ = try await guest.listen(after: id, isChecked: false) { event in
          if event.name == "snapshot" {
            let ids = event.json["devices"]?.array?.compactMap { $0["id"]?.string } ?? []
            #expect(Set(ids).isDisjoint(with: ["cd", "tuner"]) && ids.count == 6)
            await room.devices["cd"]?.report(.power, "on")
            await room.devices["lights"]?.report(.brightness, 40)
          }
          if event.name == "device" { seen.append(event.json["id"]?.string ?? "?") }
          return event.name != "device"
        }
      }
      try await listen(after: nil)
      #expect(seen == ["lights"])
      let last = room.theater.events.currentID
      await room.devices["tuner"]?.report(.power, "on")
      await room.devices["screen"]?.report(.power, "on")
      try await listen(after: last)
      #expect(seen == ["lights", "screen"])
      let hidden = try await guest.send(.GET, "/api/v1/devices/cd")
      #expect(hidden.status == 404 && !"\(hidden.json)".contains("tuner"), "\(hidden.json)")
    }
  }

  @Test("F5 · one timer serves the keep-alives of all streams, and ends with the last one")
  func oneTimer() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let token = try await room.owner().token ?? ""
      func open(
        _ body: (inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) async throws -> Void
      ) async throws {
        try await room.connection { inbound, outbound in
          try await outbound.write(room.listening(token))
          var parts = inbound.makeAsyncIterator()
          var text = ""
          while !text.hasSnapshot, let part = try await parts.next() {
            text += String(buffer: part)
          }
          try await body(&parts)
        }
      }
      try await open { first in
        try await open { second in
          await room.clock.waitForSleepers(1)
          #expect(room.clock.sleeperCount == 1)
          room.clock.advance(by: KeepAliveTimer.interval)
          for part in [try await first.next(), try await second.next()] {
            #expect(part.map { String(buffer: $0) }?.contains(": keep-alive\n\n") == true)
          }
        }
        #expect(await eventually { room.streams.count == 1 })
        await room.clock.waitForSleepers(1)
      }
      #expect(await eventually { room.clock.sleeperCount == 0 })
    }
  }

  @Test("F4 · a stream that asks for levels gets the newest, without an id; another gets none")
  func levels() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let token = try await room.owner().token ?? ""
      let amp = try #require(room.devices["amp"])
      let levels = try #require(SoundLevels(peak: [-6, -7.5], rms: [-12, -120]))
      try await room.connection { inbound, outbound in
        try await outbound.write(room.listening(token))
        var parts = inbound.makeAsyncIterator()
        var text = ""
        while !text.hasSnapshot, let part = try await parts.next() {
          text += String(buffer: part)
        }
        #expect(!amp.isMetering)
        try await room.connection { inbound, outbound in
          try await outbound.write(room.listening(token, query: "?levels=true"))
          var parts = inbound.makeAsyncIterator()
          var text = ""
          while !text.hasSnapshot, let part = try await parts.next() {
            text += String(buffer: part)
          }
          #expect(amp.isMetering)
          text = ""
          amp.report(levels)
          while !text.contains("\n\n"), let part = try await parts.next() {
            text += String(buffer: part)
          }
          let data = #"{"device":"amp","peak":[-6,-7.5],"rms":[-12,-120]}"#
          #expect(text.contains("event: levels\ndata: \(data)\n\n"))
          #expect(!text.contains("id: "))
          try await AnswerValidator.shared.check(
            ServerSentEvent(id: nil, name: "levels", data: data))
        }
        #expect(await eventually { !amp.isMetering })
        text = ""
        room.theater.events.publish(.other(.configuration, 1))
        while !text.contains("event: configuration"), let part = try await parts.next() {
          text += String(buffer: part)
        }
        #expect(!text.contains("event: levels"))
      }
    }
  }

  @Test("F4 · a wrong value of the parameter levels is refused")
  func wrongLevels() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.GET, "/api/v1/events?levels=perhaps")
      #expect(answer.status == 422)
      #expect(answer.json["error"]?["message"]?.string?.contains("true or false") == true)
      #expect(room.devices["amp"]?.isMetering == false)
    }
  }

  @Test("ends the event stream when the controller stops")
  func shutdownEndsStream() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      var names: [String] = []
      let refusal = try await owner.listen { event in
        names.append(event.name)
        if event.name == "snapshot" { await room.services.triggerGracefulShutdown() }
        return true
      }
      #expect(refusal == nil && names.first == "snapshot", "\(names)")
      // The listener is closed before the stream ends, so a client learns at once that the controller stops.
      await #expect(throws: ControllerConnectionError.self) {
        _ = try await owner.send(.GET, "/api/v1/status")
      }
    }
  }

  @Test("ends when the task of its connection is cancelled", .timeLimit(.minutes(1)))
  func cancelled() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(EventTaker())
          }
        }
        .connect(host: "127.0.0.1", port: room.port).get()
      let broadcaster = EventBroadcaster(
        theater: room.theater, configuration: FakeConfiguration())
      let stream = OpenEventStream(
        of: .owner("ann"), in: nil, after: room.theater.events.sequence, hasLevels: false,
        on: channel,
        by: broadcaster)
      let serving = Task { await stream.serve() }
      serving.cancel()
      await serving.value
      #expect(stream.begin() == nil)
      try await channel.close()
    }
  }

  private static func brightness(_ event: ServerSentEvent) -> Int? {
    guard event.name == "device", event.json["id"] == "lights" else { return nil }
    return event.json["state"]?["brightness"]?["value"]?.integer
  }
}

/// Takes the events of streams, as the connection guard of the server does.
private final class EventTaker: ChannelOutboundHandler {
  typealias OutboundIn = Any

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) { promise?.succeed() }
}

extension String {
  /// Whether the text has a whole snapshot.
  fileprivate var hasSnapshot: Bool {
    firstRange(of: "event: snapshot").map { self[$0.upperBound...].contains("\n\n") } ?? false
  }
}
