import Synchronization

/// Which of several waiting requests is taken first.
package enum RequestPriority: Int, Sendable, CaseIterable {
  case low, normal, high
}

/// How far a request is (E5).
package enum RequestStage: Hashable, Sendable {
  /// Its time or condition has not come.
  case postponed
  /// It is its turn when a worker is free.
  case waiting
  /// Being worked on; the share that is done, 0 to 1.
  case running(Double)
  case done
  /// Failed, or never begun: refused (`busy`) or cancelled.
  case failed(AccountError)
}

/// A request that was handed in, and its result in the future (E5).
package final class Request<Value: Sendable>: Sendable {
  typealias Work = @Sendable (RunningRequest) throws(AccountError) -> Value

  private typealias Waiter = CheckedContinuation<Result<Value, AccountError>, Never>

  private struct State {
    var stage: RequestStage
    var result: Result<Value, AccountError>?
    var waiters: [Waiter] = []
    var followers: [AsyncStream<RequestStage>.Continuation] = []
  }

  let running: RunningRequest
  private let work: Work
  private let withdraw: @Sendable () -> Bool
  private let state: Mutex<State>

  /// - Parameter withdraw: takes the request out of its queue; false where it is not there any more.
  init(
    stage: RequestStage, work: @escaping Work, withdraw: @escaping @Sendable () -> Bool
  ) {
    self.work = work
    self.withdraw = withdraw
    state = Mutex(State(stage: stage))
    running = RunningRequest()
  }

  /// The result, once it is there.
  /// - Throws: `busy` where the queue was full, `cancelled`, or what the work throws.
  package var value: Value {
    get async throws(AccountError) { try await result.get() }
  }

  /// The result, once it is there, good or bad.
  package var result: Result<Value, AccountError> {
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

  /// How far it is.
  package var stage: RequestStage { state.withLock { $0.stage } }

  /// How far it is, from now to its end. Who looks too late sees the newest.
  package var stages: AsyncStream<RequestStage> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { follower in
      state.withLock { state in
        follower.yield(state.stage)
        if state.result == nil { state.followers.append(follower) } else { follower.finish() }
      }
    }
  }

  /// Takes it out of the queue. Work that has begun may ask whether it is still wanted; else it is
  /// finished.
  package func cancel() {
    running.cancel()
    if withdraw() { end(.failure(.cancelled)) }
  }
}

extension Request: QueuedRequest {
  func perform() {
    running.follow { [weak self] in self?.reach(.running($0)) }
    reach(.running(0))
    end(Result { () throws(AccountError) in try work(running) })
  }

  func refuse(_ error: AccountError) { end(.failure(error)) }

  func reach(_ stage: RequestStage) {
    state.withLock { state in
      guard state.result == nil else { return }
      state.stage = stage
      for follower in state.followers { follower.yield(stage) }
    }
  }

  private func end(_ result: Result<Value, AccountError>) {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.result == nil else { return [] }
      state.result = result
      switch result {
      case .success: state.stage = .done
      case .failure(let error): state.stage = .failed(error)
      }
      for follower in state.followers {
        follower.yield(state.stage)
        follower.finish()
      }
      defer { (state.waiters, state.followers) = ([], []) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }
}

/// What a piece of work knows of the request for which it is done.
package final class RunningRequest: Sendable {
  private let cancelled = Atomic(false)
  private let report = Mutex<(@Sendable (Double) -> Void)?>(nil)

  /// Whether nobody wants the result any more.
  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Tells whoever follows how much is done.
  /// - Parameter share: 0 to 1; what lies outside counts as the nearer end.
  package func report(_ share: Double) {
    report.withLock { $0 }?(max(0, min(1, share)))
  }

  func cancel() { cancelled.store(true, ordering: .relaxed) }
  func follow(_ report: @escaping @Sendable (Double) -> Void) {
    self.report.withLock { $0 = report }
  }
}

/// A request as its queue sees it.
protocol QueuedRequest: Sendable {
  /// Does the work, on the calling thread.
  func perform()
  /// Ends without any work.
  func refuse(_ error: AccountError)
  /// Tells whoever follows.
  func reach(_ stage: RequestStage)
}
