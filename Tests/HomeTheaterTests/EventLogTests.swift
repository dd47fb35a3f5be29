import HomeTheater
import JSON
import TestSupport
import Testing

@Suite struct EventLogTests {
  @Test(
    "E2 · listeners that come and go while events are told hold nobody up", .timeLimit(.minutes(1)))
  func comingAndGoing() async throws {
    let log = EventLog(boot: "boot")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for number in 0..<20_000 { log.publish(.other(name: "n", .integer(number))) }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<2000 {
            let listening = Task { for await _ in log.subscribe().events {} }
            await Task.yield()
            listening.cancel()
            await listening.value
          }
        }
      }
    }
    #expect(log.currentID == "boot-40000")
  }
}
