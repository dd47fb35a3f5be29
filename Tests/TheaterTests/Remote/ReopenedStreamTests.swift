import Testing

@testable import theater

@Suite struct ReopenedStreamTests {
  @Test("waits longer after each failed attempt, and reports a loss once")
  func attempts() throws {
    var stream = ReopenedStream(lastEvent: nil, at: .zero)
    var wasLost = stream.open(at: .zero)
    #expect(!wasLost)
    var waits: [Duration] = []
    var isNew: [Bool] = []
    for second in 60..<70 {
      let lost = stream.lose(at: .seconds(second))
      let loss = try #require(lost)
      waits.append(loss.wait)
      isNew.append(loss.isNew)
    }
    #expect(isNew == [true] + [Bool](repeating: false, count: 9))
    #expect(waits[0] < .seconds(1) && waits.allSatisfy { $0 <= .seconds(15) })
    #expect(waits[9] > .seconds(10))
    wasLost = stream.open(at: .seconds(80))
    #expect(wasLost)
    // After a stable time the next loss begins anew.
    let next = stream.lose(at: .seconds(100))
    #expect(next?.isNew == true)
    #expect(try #require(next).wait < .seconds(1))
  }

  @Test("a stream that ends at once each time is opened less and less often")
  func flapping() throws {
    var stream = ReopenedStream(lastEvent: "a-1", at: .zero)
    var last = Duration.zero
    for _ in 0..<10 {
      _ = stream.open(at: .zero)
      let loss = stream.lose(at: .seconds(1))
      last = try #require(loss).wait
    }
    #expect(last > .seconds(10))
  }

  @Test("gives up after ten minutes without an open stream")
  func end() {
    var stream = ReopenedStream(lastEvent: nil, at: .zero)
    _ = stream.open(at: .zero)
    let losses = [0, 599, 600].map { stream.lose(at: .seconds(3_600 + $0)) != nil }
    #expect(losses == [true, true, false])
    // A stream that has never been open counts from the start of the command.
    var never = ReopenedStream(lastEvent: nil, at: .seconds(10))
    let failures = [11, 609, 610].map { never.lose(at: .seconds($0)) != nil }
    #expect(failures == [true, true, false])
  }
}
