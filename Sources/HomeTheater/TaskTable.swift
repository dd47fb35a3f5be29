import Synchronization

/// Tasks by key, each of which can be replaced alone. They run while `run` does.
final class TaskTable<Key: Hashable & Sendable>: Sendable {
  private struct State {
    var bodies: [Key: @Sendable () async -> Void] = [:]
    /// The newest task of each key, also of keys that were removed.
    var tasks: [Key: Task<Void, Never>] = [:]
    var isRunning = false
  }
  private let state = Mutex(State())
  private let executor: (any TaskExecutor)?

  /// - Parameter executor: The executor that the tasks prefer; `nil` for none.
  init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

  /// Replaces the task of a key. The new task starts after the previous one has ended.
  ///
  /// - Parameter body: The work of the new task; `nil` for no task.
  func set(_ key: Key, to body: (@Sendable () async -> Void)?) {
    state.withLock { state in
      state.bodies[key] = body
      if state.isRunning { start(key, in: &state) }
    }
  }

  /// Starts all tasks, and ends them when this task is cancelled.
  func run() async {
    state.withLock { state in
      state.isRunning = true
      for key in state.bodies.keys { start(key, in: &state) }
    }
    let (cancellation, continuation) = AsyncStream<Never>.makeStream()
    for await _ in cancellation {}
    continuation.finish()
    let tasks = state.withLock { state in
      state.isRunning = false
      defer { state.tasks = [:] }
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private func start(_ key: Key, in state: inout State) {
    let previous = state.tasks[key]
    previous?.cancel()
    let body = state.bodies[key]
    guard previous != nil || body != nil else { return }
    state.tasks[key] = Task(executorPreference: executor) {
      await previous?.value
      if !Task.isCancelled { await body?() }
    }
  }
}
