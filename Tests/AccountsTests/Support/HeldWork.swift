import Foundation
import Synchronization

/// Work that begins, and ends when it is told to.
final class HeldWork: Sendable {
  private let accountService = DispatchSemaphore(value: 0)
  private let counts = Mutex((running: 0, most: 0, done: 0))

  var running: Int { counts.withLock { $0.running } }
  /// How many ran at once at most.
  var most: Int { counts.withLock { $0.most } }
  var done: Int { counts.withLock { $0.done } }

  func run() {
    counts.withLock {
      $0.running += 1
      $0.most = max($0.most, $0.running)
    }
    accountService.wait()
    counts.withLock {
      $0.running -= 1
      $0.done += 1
    }
  }

  func finish(_ count: Int) { for _ in 0..<count { accountService.signal() } }

  func waitUntilRunning(_ count: Int) async {
    while running < count { await Task.yield() }
  }
}
