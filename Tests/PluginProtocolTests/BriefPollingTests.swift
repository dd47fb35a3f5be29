import Glibc
import Platform
import Testing

@testable import PluginProtocol

@Suite("Brief polling of a connection")
struct BriefPollingTests {
  private let gap = BriefPolling.longestGap

  @Test("messages that follow each other quickly are polled for, the first after a pause is not")
  func runs() {
    var polling = BriefPolling()
    var now: Int64 = 0
    func isPolledFor(after pause: Int64) -> Bool {
      now += pause
      return polling.recordArrival(at: now)
    }
    #expect(!isPolledFor(after: gap))
    #expect(isPolledFor(after: gap - 1))
    #expect(!isPolledFor(after: gap))
    #expect(isPolledFor(after: 1))
  }

  @Test("a poll without a message ends after its time")
  func vainPoll() throws {
    var ends: [Int32] = [-1, -1]
    let result = pipe(&ends)
    try #require(result == 0)
    defer { for end in ends { close(end) } }
    var polling = BriefPolling()
    polling.recordArrival(at: gap)
    polling.recordArrival(at: gap + 1)
    let start = MonotonicClock.now
    polling.wait(for: ends[0])
    #expect(MonotonicClock.now - start >= BriefPolling.longestPoll)
  }
}
