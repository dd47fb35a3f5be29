import Foundation
import Platform
import Synchronization

/// A bounded priority queue with a pool of worker threads, for work that would block the cooperative
/// pool (E5). At most `workers` jobs run, and at most `capacity` are postponed or wait; jobs of one
/// priority begin in order of arrival.
///
/// A thread lives while there is work: starting one takes microseconds, a job takes milliseconds,
/// and an idle controller keeps none.
public final class JobQueue: Sendable {
  private typealias Entry = PendingJobs.Entry

  private struct State {
    var workers: Int
    var pending = PendingJobs()
    var threads = 0
    var lastID: PendingJobs.ID = 0
    var begun = 0

    /// Reserves a thread for a job that begins; returns false if the pool has no room for one.
    mutating func reserveThread() -> Bool {
      guard threads < workers else { return false }
      threads += 1
      begun += 1
      return true
    }
  }

  private let capacity: Int
  private let niceness: Int32
  private let clock: any TheaterClock
  private let date: @Sendable () -> Date
  private let state: Mutex<State>

  /// - Parameters:
  ///   - workers: The size of the pool, 1 or more.
  ///   - capacity: The most jobs that may be postponed or wait; further ones fail with `queueFull`.
  ///   - niceness: Of the threads, 0 to 19, so that sound and light take precedence.
  ///   - clock: Measures delays.
  ///   - date: Reads the wall clock, for times of day.
  public init(
    workers: Int, capacity: Int = 64, niceness: Int32 = 10,
    clock: any TheaterClock = SystemClock(), date: @escaping @Sendable () -> Date = { Date() }
  ) {
    state = Mutex(State(workers: max(1, workers)))
    self.capacity = capacity
    self.niceness = niceness
    self.clock = clock
    self.date = date
  }

  /// The size of the pool.
  public var workers: Int { state.withLock { $0.workers } }

  /// The numbers of running and of pending jobs.
  public var load: (running: Int, pending: Int) {
    state.withLock { ($0.threads, $0.pending.count) }
  }

  /// The number of jobs that have begun since the queue was made.
  public var begun: Int { state.withLock { $0.begun } }

  /// Changes the size of the pool. A larger pool begins waiting jobs at once; a smaller one lets
  /// running jobs end first.
  /// - Parameter workers: 1 or more.
  public func resize(to workers: Int) {
    let entries = state.withLock { state -> [Entry] in
      state.workers = max(1, workers)
      var entries: [Entry] = []
      while state.threads < state.workers, let entry = state.pending.popFirst() {
        _ = state.reserveThread()
        entries.append(entry)
      }
      return entries
    }
    for entry in entries { startThread(with: entry) }
  }

  /// Submits a job.
  /// - Parameter work: Runs on one of the pool's threads and may block it.
  /// - Returns: The job; its stage is `refused` when too many jobs are pending.
  public func submit<Value: Sendable, Failure: Error>(
    _ admission: JobAdmission = .now, priority: JobPriority = .normal,
    _ work: @escaping Job<Value, Failure>.Work
  ) -> Job<Value, Failure> {
    let id = state.withLock { state in
      state.lastID &+= 1
      return state.lastID
    }
    let job = Job(stage: admission.isNow ? .waiting : .postponed, work: work) { [self] in
      state.withLock { $0.pending.remove(id) }
    }
    let entry = Entry(id: id, priority: priority, job: job)
    if admission.isNow { enqueue(entry) } else { postpone(entry, until: admission) }
    return job
  }

  /// Submits a job and waits for its value. Cancelling the task cancels the job.
  public func run<Value: Sendable, Failure: Error>(
    _ admission: JobAdmission = .now, priority: JobPriority = .normal,
    _ work: @escaping Job<Value, Failure>.Work
  ) async throws(JobError<Failure>) -> Value {
    if Task.isCancelled { throw .cancelled }
    let job = submit(admission, priority: priority, work)
    return try await withTaskCancellationHandler {
      await job.result
    } onCancel: {
      job.cancel()
    }.get()
  }

  private func enqueue(_ entry: Entry) {
    enum Next { case start, wait, refuse }
    let next = state.withLock { state -> Next in
      if state.reserveThread() { return .start }
      guard state.pending.count < capacity else { return .refuse }
      state.pending.append(entry)
      return .wait
    }
    switch next {
    case .start: startThread(with: entry)
    case .wait: break
    case .refuse: entry.job.refuse(.queueFull)
    }
  }

  private func postpone(_ entry: Entry, until admission: JobAdmission) {
    let isKept = state.withLock { state in
      guard state.pending.count < capacity else { return false }
      state.pending.postpone(entry, until: Task { await admit(entry, when: admission) })
      return true
    }
    if !isKept { entry.job.refuse(.queueFull) }
  }

  /// Waits for a job's admission, then lets it begin or wait unless it was cancelled meanwhile.
  private func admit(_ entry: Entry, when admission: JobAdmission) async {
    do throws(JobError<Never>) {
      try await admission.wait(clock, date: date)
    } catch {
      if state.withLock({ $0.pending.remove(entry.id) }) { entry.job.refuse(error) }
      return
    }
    let starts = state.withLock { state in
      guard state.pending.remove(entry.id) else { return false }
      entry.job.setStage(.waiting)
      if state.reserveThread() { return true }
      // It was counted among the pending jobs before, so capacity is not checked again.
      state.pending.append(entry)
      return false
    }
    if starts { startThread(with: entry) }
  }

  private func startThread(with entry: Entry) {
    SystemThread.start(name: "jobs", priority: .nice(niceness)) { self.runJobs(from: entry) }
  }

  private func runJobs(from first: Entry) {
    var entry: Entry? = first
    while let current = entry {
      current.job.perform()
      entry = next()
    }
  }

  /// The next job for a thread that is free; nil ends the thread.
  private func next() -> Entry? {
    state.withLock { state in
      guard state.threads <= state.workers, let entry = state.pending.popFirst() else {
        state.threads -= 1
        return nil
      }
      state.begun += 1
      return entry
    }
  }
}
