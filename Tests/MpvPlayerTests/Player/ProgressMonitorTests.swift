import Platform
import Testing

@testable import MpvPlayer

@Suite("MpvPlayer: progress")
struct ProgressMonitorTests {
  /// Passes a position to the monitor every 0.5 s. Returns the index of the first position at which it finds a fault.
  private func index(
    _ positions: [Double?], hasSound: Bool = true, hasOutput: Bool = true
  ) -> Int? {
    var monitor = ProgressMonitor()
    return positions.indices.first { index in
      monitor.fault(
        at: positions[index], hasSound: hasSound, hasOutput: hasOutput,
        now: .milliseconds(500) * index) != nil
    }
  }

  @Test("F1 · finds a position that stands still for 2 s, or for 10 s in a film without sound")
  func standstill() {
    #expect(index([0, 1, 1, 1, 1, 1]) == 5)
    #expect(index([0, 1, 1, 1, 1, 2, 2, 2, 2]) == nil)
    #expect(index(Array(repeating: 1, count: 30), hasSound: false) == 20)
    #expect(index(Array(repeating: nil, count: 30)) == nil, "some streams have no position")
  }

  @Test("F1 · after a standstill of the whole machine, waits for further answers")
  func pause() {
    var monitor = ProgressMonitor()
    func isFault(at seconds: Int) -> Bool {
      monitor.fault(at: 1, hasSound: true, hasOutput: true, now: .seconds(seconds)) != nil
    }
    #expect([0, 60, 60, 61].map(isFault) == [false, false, false, true])
  }

  @Test("F4 · finds a lost sound output with the second answer; films without sound have none")
  func output() {
    #expect(index([0, 1, 2], hasOutput: false) == 1)
    #expect(index([0, 1, 2], hasSound: false, hasOutput: false) == nil)
  }
}
