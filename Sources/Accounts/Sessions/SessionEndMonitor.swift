import Foundation
import Synchronization

/// Calls back when sessions or access tokens end.
///
/// Hundreds of event streams may be open for hours, each with a session. So two tasks watch all of them,
/// one for the account events and one for both clocks, while there are any.
public final class SessionEndMonitor: Sendable {
  /// A watched session. It is watched until this is deallocated.
  public final class Watch: Sendable {
    private let monitor: SessionEndMonitor
    private let key: Int

    fileprivate init(_ monitor: SessionEndMonitor, _ key: Int) {
      self.monitor = monitor
      self.key = key
    }

    deinit { monitor.remove(key) }
  }

  private final class Entry: Sendable {
    let isConcerned: @Sendable (AccountEvent) -> Bool
    let check: @Sendable () async -> SessionEnd?
    let onEnd: @Sendable () -> Void

    init(
      _ isConcerned: @escaping @Sendable (AccountEvent) -> Bool,
      check: @escaping @Sendable () async -> SessionEnd?, onEnd: @escaping @Sendable () -> Void
    ) {
      self.isConcerned = isConcerned
      self.check = check
      self.onEnd = onEnd
    }
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    /// When the session of an entry ends unless it is used before; none until its first check.
    var ends: [Int: SessionEnd] = [:]
    var nextKey = 0
    var eventTask: Task<Void, Never>?
    var deadlineTask: Task<Void, Never>?
    /// When `deadlineTask` checks the sessions.
    var deadline = Deadline()
  }

  /// The earliest end of a session by each clock.
  private struct Deadline: Hashable, Sendable {
    var date: Date?
    var steady: SteadyTime?
  }

  private let events: AccountEvents
  private let clock: WallClock
  private let steady: SteadyClock
  private let state = Mutex(State())

  init(events: AccountEvents, clock: WallClock, steady: SteadyClock) {
    self.events = events
    self.clock = clock
    self.steady = steady
  }

  /// Watches a session or an access token.
  ///
  /// - Parameters:
  ///   - isConcerned: Whether an event may end it.
  ///   - check: Returns when the session ends; `nil` if it has ended.
  ///   - onEnd: Called once when the session has ended, also when it had ended before this call.
  func watch(
    _ isConcerned: @escaping @Sendable (AccountEvent) -> Bool,
    check: @escaping @Sendable () async -> SessionEnd?, onEnd: @escaping @Sendable () -> Void
  ) async -> Watch {
    let key = state.withLock { state in
      state.nextKey += 1
      state.entries[state.nextKey] = Entry(isConcerned, check: check, onEnd: onEnd)
      if state.eventTask == nil {
        // Subscribes before the first check, so that no change between the two is missed.
        let changes = events.subscribe(losing: .nothing)
        // Detached, because it serves the later sessions too.
        state.eventTask = Task.detached {
          for await event in changes {
            await self.check(where: { $0.isConcerned(event) })
          }
        }
      }
      return state.nextKey
    }
    let watch = Watch(self, key)
    await self.check(key)
    schedule()
    return watch
  }

  private func remove(_ key: Int) {
    let tasks = state.withLock { state -> [Task<Void, Never>] in
      state.entries[key] = nil
      state.ends[key] = nil
      guard state.entries.isEmpty else { return [] }
      state.deadline = Deadline()
      return [state.eventTask.take(), state.deadlineTask.take()].compactMap { $0 }
    }
    for task in tasks { task.cancel() }
  }

  private func check(where isConcerned: (Entry) -> Bool) async {
    let keys = state.withLock { $0.entries.filter { isConcerned($0.value) }.map(\.key) }
    for key in keys { await check(key) }
    if !keys.isEmpty { schedule() }
  }

  private func check(_ key: Int) async {
    guard let entry = state.withLock({ $0.entries[key] }) else { return }
    if let end = await entry.check() {
      state.withLock { if $0.entries[key] != nil { $0.ends[key] = end } }
    } else if state.withLock({ state in
      state.ends[key] = nil
      return state.entries.removeValue(forKey: key)
    }) != nil {
      entry.onEnd()
    }
  }

  /// Plans the check at the earliest end. A session that is used meanwhile ends later, which that check
  /// finds.
  private func schedule() {
    let boot = steady.now().boot
    let old = state.withLock { state -> Task<Void, Never>? in
      let ends = state.ends.values
      let deadline = Deadline(
        date: ends.map(\.date).min(),
        // A time of another boot is never reached.
        steady: ends.map(\.steady).filter { $0.boot == boot }
          .min { $0.milliseconds < $1.milliseconds })
      guard deadline != state.deadline else { return nil }
      state.deadline = deadline
      let old = state.deadlineTask.take()
      if deadline != Deadline() {
        state.deadlineTask = Task.detached { await self.wait(until: deadline) }
      }
      return old
    }
    old?.cancel()
  }

  private func wait(until deadline: Deadline) async {
    await withTaskGroup(of: Void.self) { [clock, steady] group in
      if let date = deadline.date { group.addTask { try? await clock.sleep(until: date) } }
      if let time = deadline.steady { group.addTask { try? await steady.sleep(until: time) } }
      await group.next()
      group.cancelAll()
    }
    let isCurrent = state.withLock { state in
      guard !Task.isCancelled, state.deadline == deadline else { return false }
      state.deadline = Deadline()
      // Nothing that is planned meanwhile cancels the check.
      state.deadlineTask = nil
      return true
    }
    if isCurrent { await check(where: { _ in true }) }
  }
}
