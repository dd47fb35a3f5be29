import Synchronization
import Testing

@testable import PluginKit

@Suite("F1 · pending requests")
struct PendingRequestsTests {
  private final class Calls: Sendable {
    private let count = Mutex(0)
    var all: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  @Test("F1 · cancels a request that waits or is under way, but not one that has ended")
  func cancel() {
    let requests = PendingRequests()
    let calls = Calls()
    #expect(requests.add(1))
    requests.cancel(1)
    let begins = requests.begin(1) { calls.add() }
    #expect(!begins)
    requests.end(1)
    #expect(requests.add(2))
    let beginsNow = requests.begin(2) { calls.add() }
    #expect(beginsNow)
    requests.cancel(2)
    #expect(calls.all == 1)
    requests.end(2)
    requests.cancel(2)
    requests.cancel(3)
    #expect(calls.all == 1)
    #expect(requests.add(2))
    #expect(requests.begin(2), "a late cancel does not affect a new request with the same id")
  }

  @Test("F1 · closing accepts no more requests, refuses the pending ones, and returns the closers")
  func close() {
    let requests = PendingRequests()
    _ = requests.add(1)
    _ = requests.add(2)
    _ = requests.begin(1)
    requests.end(1)
    #expect(requests.close(for: 7))
    #expect(!requests.add(3))
    var refused: [Int] = []
    let closers = requests.close { refused.append($0) }
    #expect(closers == [7])
    #expect(refused == [2])
    #expect(!requests.close(for: 8), "closed already")
  }
}
