import Devices
import Foundation
import Synchronization

/// Work that would stop the cooperative pool, done on a few threads of low priority (E5): no more
/// than `workers` requests run, no more than `waiting` wait, the first of the highest priority is
/// next, and one that waits can be cancelled.
///
/// A thread lives while there is work: starting one takes microseconds, a request takes
/// milliseconds, and an idle controller keeps none.
package final class RequestQueue: Sendable {
  private typealias Place = WaitingLine.Place

  private struct State {
    var line = WaitingLine()
    var threads = 0
    var lastID: WaitingLine.ID = 0
    var begun = 0

    /// Whether one more thread may begin; then it counts.
    mutating func begins(_ workers: Int) -> Bool {
      guard threads < workers else { return false }
      threads += 1
      begun += 1
      return true
    }
  }

  private let workers: Int
  private let mostWaiting: Int
  private let niceness: Int32
  private let clock: any TheaterClock
  private let wall: WallClock
  private let state = Mutex(State())

  /// - Parameters:
  ///   - workers: requests that run side by side.
  ///   - waiting: requests that may wait for their time or turn; beyond it the answer is `busy`.
  ///   - niceness: of the threads, 0 to 19.
  ///   - clock: for delays.
  ///   - wall: for times of day.
  package init(
    workers: Int, waiting: Int = 64, niceness: Int32 = 10, clock: any TheaterClock = SystemClock(),
    wall: WallClock = .system
  ) {
    self.workers = workers
    mostWaiting = waiting
    self.niceness = niceness
    self.clock = clock
    self.wall = wall
  }

  /// How much runs and how much waits.
  var load: (running: Int, waiting: Int) {
    state.withLock { ($0.threads, $0.line.count) }
  }

  /// How many requests were taken up since the start.
  var begun: Int { state.withLock { $0.begun } }

  /// Hands a request in.
  /// - Parameters:
  ///   - admission: when it may join the line.
  ///   - priority: a lower one waits while there is a higher.
  ///   - work: runs on one of the threads and may block it.
  /// - Returns: the request; refused at once (`busy`) where too many wait.
  package func submit<Value: Sendable>(
    _ admission: RequestAdmission = .now, priority: RequestPriority = .normal,
    _ work: @escaping @Sendable (RunningRequest) throws(AccountError) -> Value
  ) -> Request<Value> {
    let id = state.withLock { state in
      state.lastID &+= 1
      return state.lastID
    }
    var isNow = false
    if case .now = admission { isNow = true }
    let request = Request(stage: isNow ? .waiting : .postponed, work: work) { [self] in
      state.withLock { $0.line.leave(id) }
    }
    let place = Place(id: id, priority: priority, request: request)
    if isNow { join(place) } else { postpone(place, until: admission) }
    return request
  }

  /// Hands a request in and waits for its result. Cancelling the task cancels the request.
  /// - Throws: `busy` where too many wait, `cancelled`, or what `work` throws.
  package func run<Value: Sendable>(
    _ admission: RequestAdmission = .now, priority: RequestPriority = .normal,
    _ work: @escaping @Sendable (RunningRequest) throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    if Task.isCancelled { throw .cancelled }
    let request = submit(admission, priority: priority, work)
    return try await withTaskCancellationHandler {
      await request.result
    } onCancel: {
      request.cancel()
    }.get()
  }

  private func join(_ place: Place) {
    enum Next { case start, wait, refuse }
    let next = state.withLock { state -> Next in
      if state.begins(workers) { return .start }
      guard state.line.count < mostWaiting else { return .refuse }
      state.line.join(place)
      return .wait
    }
    switch next {
    case .start: startThread(with: place)
    case .wait: break
    case .refuse: place.request.refuse(.busy)
    }
  }

  private func postpone(_ place: Place, until admission: RequestAdmission) {
    let isKept = state.withLock { state in
      guard state.line.count < mostWaiting else { return false }
      state.line.postpone(place, until: Task { await admit(place, when: admission) })
      return true
    }
    if !isKept { place.request.refuse(.busy) }
  }

  /// Waits for a request's time or condition, and lets it join where it was not cancelled.
  private func admit(_ place: Place, when admission: RequestAdmission) async {
    do throws(AccountError) {
      try await admission.holds(clock, wall)
    } catch {
      if state.withLock({ $0.line.leave(place.id) }) { place.request.refuse(error) }
      return
    }
    let starts = state.withLock { state in
      guard state.line.leave(place.id) else { return false }
      place.request.reach(.waiting)
      if state.begins(workers) { return true }
      // It had its place among those who wait already.
      state.line.join(place)
      return false
    }
    if starts { startThread(with: place) }
  }

  private func startThread(with place: Place) {
    Thread.detachNewThread { self.work(from: place) }
  }

  private func work(from first: Place) {
    lowerPriority()
    var place: Place? = first
    while let current = place {
      current.request.perform()
      place = next()
    }
  }

  private func next() -> Place? {
    state.withLock { state in
      guard let place = state.line.next() else {
        state.threads -= 1
        return nil
      }
      state.begun += 1
      return place
    }
  }

  /// Sound and light go before passwords.
  private func lowerPriority() {
    #if canImport(Glibc)
      // On Linux `who` 0 is the calling thread, not the process (setpriority(2), "C library/kernel
      // differences").
      _ = setpriority(Int32(bitPattern: PRIO_PROCESS.rawValue), 0, niceness)
    #endif
  }
}
