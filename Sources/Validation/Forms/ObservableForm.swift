import Synchronization

/// A form with any number of subscribers (B3): applies events one after another, from any task, and
/// publishes the changes to all of them.
public final class ObservableForm: Sendable {
  private struct State {
    var form: Form
    var lastID = 0
    var subscribers: [Int: @Sendable (FormChange) -> Void] = [:]
  }

  private let state: Mutex<State>

  /// Makes a form observable.
  public init(_ form: Form) {
    state = Mutex(State(form: form))
  }

  /// The form as it is now.
  public var form: Form { state.withLock { $0.form } }

  /// Applies an event and publishes its changes.
  @discardableResult
  public func send(_ event: FormEvent) -> [FormChange] {
    // Yields inside the lock: every subscriber gets the changes in the order of the events.
    state.withLock { state in
      let changes = state.form.send(event)
      for subscriber in state.subscribers.values {
        for change in changes { subscriber(change) }
      }
      return changes
    }
  }

  /// The current state as changes from nothing, then every change. A slow subscriber misses none.
  public func changes() -> AsyncStream<FormChange> { subscribe { $0 } }

  /// Whether a group is valid: now, then at each change.
  public func validity(of group: GroupName) -> AsyncStream<Bool> {
    subscribe { change in
      if case .group(group, let isValid) = change { isValid } else { nil }
    }
  }

  private func subscribe<Element: Sendable>(
    _ select: @escaping @Sendable (FormChange) -> Element?
  ) -> AsyncStream<Element> {
    AsyncStream { continuation in
      let publish: @Sendable (FormChange) -> Void = { change in
        if let element = select(change) { continuation.yield(element) }
      }
      let id = state.withLock { state in
        state.lastID += 1
        state.subscribers[state.lastID] = publish
        for change in state.form.everything { publish(change) }
        return state.lastID
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.subscribers.removeValue(forKey: id) }
      }
    }
  }

  /// The number of subscribers.
  var subscribers: Int { state.withLock { $0.subscribers.count } }
}
