import Synchronization

/// The requests of one device that have no answer yet: which of them wait, which are under way and
/// can be cancelled, and which asked for the close.
final class PendingRequests: Sendable {
  private enum Stage {
    case waiting
    /// Cancelled before it began.
    case unwanted
    case underWay(cancel: (@Sendable () -> Void)?)
  }

  private struct State {
    var stages: [Int: Stage] = [:]
    var closers: [Int] = []
    var isClosing = false
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Adds a request that waits. Returns false when the device closes and takes no more.
  func add(_ id: Int) -> Bool {
    state.withLock { state in
      guard !state.isClosing else { return false }
      state.stages[id] = .waiting
      return true
    }
  }

  /// Marks a request as begun. Returns false when it was cancelled while it waited.
  ///
  /// - Parameter cancel: Makes it end early; called at most once per cancellation.
  func begin(_ id: Int, cancelledBy cancel: (@Sendable () -> Void)? = nil) -> Bool {
    state.withLock { state in
      if case .unwanted = state.stages[id] { return false }
      state.stages[id] = .underWay(cancel: cancel)
      return true
    }
  }

  /// Removes a request that was answered.
  func end(_ id: Int) { state.withLock { state in state.stages[id] = nil } }

  /// Cancels a request. Does nothing for one that is unknown or already answered.
  func cancel(_ id: Int) {
    let cancel: (@Sendable () -> Void)? = state.withLock { state in
      switch state.stages[id] {
      case .waiting:
        state.stages[id] = .unwanted
        return nil
      case .underWay(let cancel): return cancel
      case .unwanted, nil: return nil
      }
    }
    cancel?()
  }

  /// Begins the close: no more requests are accepted, and the request `id` is answered when the device
  /// is closed. Returns false if it is closed already.
  func close(for id: Int?) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      if let id { state.closers.append(id) }
      state.isClosing = true
      return true
    }
  }

  /// Completes the close: calls `refuse` with each request that has no answer yet.
  ///
  /// - Returns: The requests that asked for the close.
  func close(_ refuse: (Int) -> Void) -> [Int] {
    let (left, closers) = state.withLock { state in
      state.isClosing = true
      state.isClosed = true
      defer { state.closers = [] }
      return (state.stages.keys.sorted(), state.closers)
    }
    left.forEach(refuse)
    return closers
  }
}
