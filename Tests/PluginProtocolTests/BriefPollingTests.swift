import Glibc
import Platform
import Testing

@testable import PluginProtocol

@Suite("Brief polling of a connection")
struct BriefPollingTests {
  private let gap = BriefPolling.longestGap

  @Test("polls after a message that follows another quickly, but not after the first of a run")
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

  @Test("a poll without a message lasts its full time")
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
