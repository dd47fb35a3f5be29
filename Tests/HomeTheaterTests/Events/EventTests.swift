import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

@Suite struct EventTests {
  @Test("E2 · a subscriber that was away gets the events it missed, or needs a snapshot")
  func resuming() async throws {
    let log = EventLog(boot: "boot")
    func missed(_ id: String) -> [Int]? {
      log.sequence(of: id).flatMap { log.entries(after: $0) }?.map(\.sequence)
    }
    for number in 1...5 { log.publish(.other(.library, .integer(number))) }
    #expect(missed("boot-3") == [4, 5])
    #expect(missed("boot-0") == [1, 2, 3, 4, 5])
    #expect(missed("boot-5") == [])
    for id in ["another-3", "boot-6", "boot-x", "boot--1", ""] { #expect(missed(id) == nil) }
    for number in 6...3000 { log.publish(.other(.library, .integer(number))) }
    #expect(missed("boot-3") == nil)
    #expect(missed("boot-\(3000 - EventLog.capacity)")?.count == EventLog.capacity)
    #expect(log.entries(after: 2990, most: 3)?.map(\.sequence) == [2991, 2992, 2993])
  }

  @Test("a slow subscriber gets the newest event of each device, run and activity, in order")
  func coalescing() throws {
    let log = EventLog(boot: "boot")
    let devices = (0..<12).map { DeviceID("d\($0)") }
    let lamps = Dictionary(
      uniqueKeysWithValues: devices.map {
        ($0, TheaterPlan().description(of: $0, role: .lights))
      })
    func report(_ brightness: Int, of device: DeviceID) {
      var state = DeviceState()
      state.update(Reading(.integer(brightness), time: .zero), for: .brightness)
      log.publish(
        .device(
          lamps[device] ?? TheaterPlan().description(of: device, role: .lights),
          DeviceSnapshot(state: state, availability: .available, generation: 1)))
    }
    let quiet = DeviceID("quiet")
    report(7, of: quiet)
    log.publish(.run(RunChange(run: "r1", scene: "popcorn", status: .running)))
    log.publish(.run(RunChange(run: "r1", scene: "popcorn", status: .done)))
    for number in 0..<100_000 { report(number, of: devices[number % devices.count]) }
    #expect(log.count <= 3 * EventLog.capacity)

    var place = 0
    var newest: [DeviceID: Int] = [:]
    var runs: [RunReport.Status] = []
    var count = 0
    while let entries = log.entries(after: place, most: 32), !entries.isEmpty {
      for entry in entries {
        #expect(entry.sequence > place)
        place = entry.sequence
        count += 1
        if case .device(let device, let snapshot) = entry.event {
          newest[device.id] = snapshot.state.brightness
        }
        if case .run(let report) = entry.event { runs.append(report.status) }
      }
    }
    #expect(place == log.sequence)
    #expect(count <= 3 * EventLog.capacity)
    #expect(newest[quiet] == 7)
    #expect(runs == [.done])
    #expect(devices.compactMap { newest[$0] }.min() == 100_000 - devices.count)

    // An event that no later one replaces is never skipped: the subscriber needs a snapshot.
    log.publish(.other(.library, 1))
    #expect(log.entries(after: 0) != nil)
    for number in 0..<(2 * EventLog.capacity) { report(number, of: quiet) }
    #expect(log.entries(after: 0) == nil)
  }

  @Test("reports with the longest attributes take at most 2 MiB of the log")
  func longReports() throws {
    let log = EventLog(boot: "boot")
    let lamp = TheaterPlan().description(of: "lamp", role: .lights)
    var state = DeviceState()
    for number in 0..<1000 {
      for name in 0..<12 {
        let text = "\(number) " + String(repeating: "v", count: 1000)
        state.attributes["\(name)"] = Attribute(.string(text))
      }
      log.publish(.device(lamp, DeviceSnapshot(state: state, generation: 1)))
    }
    let entries = try #require(log.entries(after: 0))
    let bytes = entries.reduce(0) { $0 + $1.event.byteCount }
    #expect(bytes <= (2 << 20) + 20_000, "\(bytes) bytes of \(entries.count) events")
    #expect(entries.last?.sequence == 1000 && entries.count > 50)
  }

  @Test(
    "at most a bounded number of subjects is kept: a subscriber that knows none needs a snapshot"
  )
  func manySubjects() {
    let log = EventLog(boot: "boot")
    for number in 0..<(8 * EventLog.capacity) {
      log.publish(.run(RunChange(run: "r\(number)", scene: "popcorn", status: .running)))
    }
    #expect(log.count <= 3 * EventLog.capacity)
    #expect(log.entries(after: 0) == nil)
    #expect(log.entries(after: log.sequence - 1)?.count == 1)
    // Only the oldest were dropped.
    #expect(log.entries(after: log.sequence - log.count)?.count == log.count)
    #expect(log.entries(after: log.sequence - log.count - 1) == nil)
  }

  @Test(
    "a subscription that is signalled many times while it is not read signals once, and ends with the log"
  )
  func subscription() async {
    let log = EventLog(boot: "boot")
    let subscription = log.subscribe()
    for number in 0..<100 { log.publish(.other(.library, .integer(number))) }
    log.close()
    var signals = 0
    for await _ in subscription.signals { signals += 1 }
    #expect(signals == 1)
  }

  @Test("a subscriber that ends during a signal delays no other", .timeLimit(.minutes(5)))
  func endingDuringNotification() async {
    let log = EventLog(boot: "boot")
    let passes = await PausedNotification.permitsCancellation { onNotification in
      for await _ in log.subscribe().signals { onNotification() }
    } notify: {
      log.publish(.other(.library, 0))
    }
    #expect(passes)
  }

  @Test("E2 · each step of a run is published while it runs")
  func runEvents() async throws {
    let theater = Theater()
    let events = theater.facade.events
    let start = events.sequence
    let run = try await theater.facade.popcorn()
    _ = await run.finished()
    var changes: [String] = []
    for entry in try #require(events.entries(after: start)) {
      guard case .run(let change) = entry.event else { continue }
      let node = change.node.map { " \($0.id) \($0.status.rawValue)" } ?? ""
      changes.append("\(change.status.rawValue)\(node)")
    }
    #expect(
      changes == [
        "running", "running 1 running", "running 1 done", "running 2 running", "running 2 done",
        "done",
      ])
  }

  @Test("the loss of a device is published")
  func availability() async throws {
    try await Theater().live { theater in
      let events = theater.facade.events
      await theater["lights"].setAvailability(.unavailable("the plugin is being restarted"))
      let isTold = await eventually {
        events.entries(after: 0)?.contains { entry in
          guard case .device(let device, let snapshot) = entry.event, device.id == "lights" else {
            return false
          }
          return snapshot.availability == .unavailable("the plugin is being restarted")
        } == true
      }
      #expect(isTold)
    }
  }
}
