import Synchronization

/// The priority of a waiting job. It begins only when no job of a higher priority waits.
public enum JobPriority: Int, Sendable, CaseIterable {
  case low, normal, high
}

/// The progress of a job (E5).
public enum JobStage: Hashable, Sendable {
  /// Its delay, time or condition has not come yet.
  case postponed
  /// It begins as soon as a worker is free.
  case waiting
  /// The share that is done, 0 to 1.
  case running(Double)
  case done
  /// The work threw an error.
  case failed
  /// Never begun: the queue was full, or the condition was not met.
  case refused
  /// Cancelled before it began.
  case cancelled
}

/// The reason why a job has no value.
public enum JobError<Failure: Error>: Error {
  /// Too many jobs wait; a later attempt may succeed.
  case queueFull
  /// The condition of its admission was not met.
  case refused
  /// Cancelled before it began.
  case cancelled
  /// The error that the work threw.
  case failed(Failure)
}

extension JobError: Equatable where Failure: Equatable {}

/// A submitted job and, as a future, its result (E5).
public final class Job<Value: Sendable, Failure: Error>: Sendable {
  /// Runs on a worker's thread, which it may block.
  public typealias Work = @Sendable (RunningJob) throws(Failure) -> Value

  private typealias Waiter = CheckedContinuation<Result<Value, JobError<Failure>>, Never>

  private struct State {
    var stage: JobStage
    var result: Result<Value, JobError<Failure>>?
    var waiters: [Waiter] = []
    var observers: [AsyncStream<JobStage>.Continuation] = []
  }

  private let running = RunningJob()
  private let work: Work
  private let withdraw: @Sendable () -> Bool
  private let state: Mutex<State>

  /// - Parameter withdraw: Removes the job from its queue; returns false when it is not there.
  init(stage: JobStage, work: @escaping Work, withdraw: @escaping @Sendable () -> Bool) {
    self.work = work
    self.withdraw = withdraw
    state = Mutex(State(stage: stage))
  }

  /// Waits for the value.
  public var value: Value {
    get async throws(JobError<Failure>) { try await result.get() }
  }

  /// Waits for the value or the error.
  public var result: Result<Value, JobError<Failure>> {
    get async {
      await withCheckedContinuation { waiter in
        let result = state.withLock { state in
          if state.result == nil { state.waiters.append(waiter) }
          return state.result
        }
        if let result { waiter.resume(returning: result) }
      }
    }
  }

  /// The current stage.
  public var stage: JobStage { state.withLock { $0.stage } }

  /// The stages from now to the end. A slow reader skips intermediate stages and gets the latest one.
  public var stages: AsyncStream<JobStage> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { observer in
      state.withLock { state in
        observer.yield(state.stage)
        if state.result == nil { state.observers.append(observer) } else { observer.finish() }
      }
    }
  }

  /// Removes the job from its queue. Work that has begun runs to its end and can ask
  /// `RunningJob.isCancelled`.
  public func cancel() {
    running.cancel()
    if withdraw() { end(.failure(.cancelled)) }
  }

  private func end(_ result: Result<Value, JobError<Failure>>) {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.result == nil else { return [] }
      state.result = result
      state.stage =
        switch result {
        case .success: .done
        case .failure(.failed): .failed
        case .failure(.cancelled): .cancelled
        case .failure(.queueFull), .failure(.refused): .refused
        }
      for observer in state.observers {
        observer.yield(state.stage)
        observer.finish()
      }
      defer { (state.waiters, state.observers) = ([], []) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }
}

/// A job without the type of its value, for its queue.
protocol QueuedJob: Sendable {
  /// Does the work on the calling thread.
  func perform()
  /// Ends the job without doing the work.
  func refuse(_ reason: JobError<Never>)
  /// Sets the stage, and reports it to the job's observers.
  func setStage(_ stage: JobStage)
}

extension Job: QueuedJob {
  func perform() {
    running.observe { [weak self] in self?.setStage(.running($0)) }
    setStage(.running(0))
    end(
      Result { () throws(Failure) in try work(running) }.mapError { .failed($0) })
  }

  func refuse(_ reason: JobError<Never>) {
    switch reason {
    case .queueFull: end(.failure(.queueFull))
    case .refused: end(.failure(.refused))
    case .cancelled: end(.failure(.cancelled))
    }
  }

  func setStage(_ stage: JobStage) {
    state.withLock { state in
      guard state.result == nil else { return }
      state.stage = stage
      for observer in state.observers { observer.yield(stage) }
    }
  }
}

/// The running job, as its work sees it: tells whether the job was cancelled, and receives the
/// progress.
public final class RunningJob: Sendable {
  private let cancelled = Atomic(false)
  private let observer = Mutex<(@Sendable (Double) -> Void)?>(nil)

  /// Whether the job was cancelled: its result is no longer wanted.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Reports the share of the work that is done.
  /// - Parameter share: 0 to 1; other values are clamped.
  public func report(_ share: Double) {
    observer.withLock { $0 }?(max(0, min(1, share)))
  }

  fileprivate func cancel() { cancelled.store(true, ordering: .relaxed) }
  fileprivate func observe(_ observer: @escaping @Sendable (Double) -> Void) {
    self.observer.withLock { $0 = observer }
  }
}
