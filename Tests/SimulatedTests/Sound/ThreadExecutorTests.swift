import Synchronization
import TestSupport
import Testing

@testable import Simulated

@Suite(.timeLimit(.minutes(5))) struct ThreadExecutorTests {
  @Test("a call that comes after the executor was stopped is answered")
  func afterStop() async throws {
    let worker = Worker()
    await worker.work()
    worker.executor.stop()
    for count in 2...4 {
      let call = Task { await worker.work() }
      try #require(await eventually { worker.count.withLock { $0 } == count })
      await call.value
    }
  }

  private actor Worker {
    nonisolated let executor = ThreadExecutor(name: "worker")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// The number of calls that were run.
    nonisolated let count = Mutex(0)

    func work() { count.withLock { $0 += 1 } }
  }
}
