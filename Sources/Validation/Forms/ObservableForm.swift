import Synchronization

/// A form with any number of subscribers (B3): applies events one after another, from any task, and
/// publishes the changes to all of them.
public final class ObservableForm: Sendable {
  private struct State {
    var form: Form
    var lastID = 0
  }

  private typealias Subscribers = [Int: @Sendable (FormChange) -> Void]

  private let state: Mutex<State>
  /// Has a lock of its own, under which nothing is published: a cancelled subscriber removes itself
  /// while the runtime holds its task's lock, and publishing to it needs that lock.
  private let subscribed = Mutex<Subscribers>([:])

  /// Makes a form observable.
  public init(_ form: Form) {
    state = Mutex(State(form: form))
  }

  /// The form as it is now.
  public var form: Form { state.withLock { $0.form } }

  /// Applies an event and publishes its changes.
  @discardableResult
  public func send(_ event: FormEvent) -> [FormChange] {
    // Under the state's lock: every subscriber gets the changes in the order of the events.
    state.withLock { state in
      let changes = state.form.send(event)
      let subscribers = subscribed.withLock { Array($0.values) }
      for subscriber in subscribers {
        for change in changes { subscriber(change) }
      }
      return changes
    }
  }

  /// The current state as changes from an empty form, then every change. A slow subscriber misses
  /// none.
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
        let id = state.lastID
        subscribed.withLock { $0[id] = publish }
        for change in state.form.everything { publish(change) }
        return id
      }
      continuation.onTermination = { [weak self] _ in
        self?.subscribed.withLock { _ = $0.removeValue(forKey: id) }
      }
    }
  }

  /// The number of subscribers.
  var subscribers: Int { subscribed.withLock { $0.count } }
}
