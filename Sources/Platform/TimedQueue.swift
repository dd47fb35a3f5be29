import Synchronization

/// A queue for one reader, which can wait with a deadline. Any thread may append.
package final class TimedQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    /// Finished when an element arrives.
    var waiter: AsyncStream<Never>.Continuation?
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds an element. Returns false if `limit` elements already wait; the element is not added then.
  @discardableResult
  package func append(_ element: Element, limit: Int = .max) -> Bool {
    state.withLock { state in
      guard state.elements.count < limit else { return false }
      state.elements.append(element)
      state.waiter?.finish()
      return true
    }
  }

  /// Removes and returns the oldest element; nil if there is none.
  package func popFirst() -> Element? { state.withLock { Self.popFirst(from: &$0) } }

  /// Waits for an element, and removes and returns the oldest one; nil if none comes in time or the task is cancelled.
  ///
  /// - Parameter deadline: The time of `clock` at which the wait ends; nil for no limit.
  package func next(until deadline: Duration?, on clock: any TheaterClock) async -> Element? {
    let (signals, signal) = AsyncStream<Never>.makeStream()
    let first = state.withLock { state in
      let first = Self.popFirst(from: &state)
      if first == nil { state.waiter = signal }
      return first
    }
    if let first { return first }
    await withDiscardingTaskGroup { group in
      if let deadline {
        group.addTask {
          try? await clock.sleep(until: deadline)
          signal.finish()
        }
      }
      for await _ in signals {}
      group.cancelAll()
    }
    return state.withLock { state in
      state.waiter = nil
      return Self.popFirst(from: &state)
    }
  }

  private static func popFirst(from state: inout State) -> Element? {
    state.elements.isEmpty ? nil : state.elements.removeFirst()
  }
}
