import Platform
import Testing

@Suite struct RetryDelayTests {
  @Test("the wait doubles with each failure up to the longest, and is reset by success")
  func doubling() {
    var delay = RetryDelay(from: .seconds(1))
    let waits = (0..<8).map { _ in delay.next(random: 0.5) }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(delay.failures == 8)
    delay.reset()
    #expect(delay.next(random: 0.5) == .seconds(1))
    for _ in 0..<200 { #expect(delay.next(random: 1) <= .seconds(60)) }
  }

  @Test("the random part is a fifth of a wait at most, and no wait exceeds the longest")
  func random() {
    for (random, first, last) in [(0.0, 400, 48_000), (1.0, 600, 60_000)] {
      var delay = RetryDelay()
      #expect(delay.next(random: random) == .milliseconds(first))
      for _ in 0..<8 { _ = delay.next(random: random) }
      #expect(delay.next(random: random) == .milliseconds(last))
    }
    var delay = RetryDelay(from: .milliseconds(20), upTo: .milliseconds(100))
    let waits = Set((0..<100).map { _ in delay.next() })
    #expect(waits.count > 10)
    #expect(waits.allSatisfy { $0 >= .milliseconds(16) && $0 <= .milliseconds(100) })
  }
}
