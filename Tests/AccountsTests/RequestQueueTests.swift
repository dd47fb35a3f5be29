import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Accounts

@Suite(.timeLimit(.minutes(5))) struct RequestQueueTests {
  private let clock = TestSupport.ManualClock()
  private let wall = ManualClock()
  private let work = HeldWork()

  private func queue(workers: Int = 1, waiting: Int = 64) -> RequestQueue {
    RequestQueue(workers: workers, waiting: waiting, clock: clock, wall: wall.wall)
  }

  private func reach(_ queue: RequestQueue, running: Int, waiting: Int) async {
    while queue.load != (running, waiting) { await Task.yield() }
  }

  /// A queue whose one worker is busy until `work` is finished.
  private func busyQueue(waiting: Int = 64) async -> (RequestQueue, Request<Void>) {
    let queue = queue(waiting: waiting)
    let first = queue.submit { [work] _ in work.run() }
    await work.waitUntilRunning(1)
    return (queue, first)
  }

  @Test("E5 · as many requests run as there are workers, the others wait, and no thread stays")
  func bounded() async throws {
    let queue = queue(workers: 2)
    let requests = (0..<20).map { _ in queue.submit { [work] _ in work.run() } }
    await work.waitUntilRunning(2)
    #expect(queue.load == (2, 18))
    work.finish(20)
    for request in requests { try await request.value }
    #expect(work.most == 2)
    #expect(work.done == 20)
    #expect(queue.begun == 20)
    await reach(queue, running: 0, waiting: 0)
  }

  @Test("E5 · a full queue refuses at once, and takes requests again when it has room")
  func full() async throws {
    let (queue, first) = await busyQueue(waiting: 2)
    let second = queue.submit { _ in 2 }
    let third = queue.submit(.after(.seconds(1))) { _ in 3 }
    for admission in [RequestAdmission.now, .after(.seconds(1))] {
      let refused = queue.submit(admission) { _ in 4 }
      #expect(refused.stage == .failed(.busy))
      #expect(await refused.result == .failure(.busy))
    }
    work.finish(1)
    try await first.value
    #expect(try await second.value == 2)
    third.cancel()
    #expect(try await queue.run { _ in 7 } == 7)
  }

  @Test("E5 · the highest priority is next, and among equals who came first")
  func priorities() async throws {
    let (queue, _) = await busyQueue()
    let order = Mutex<[Int]>([])
    let priorities: [RequestPriority] = [.low, .normal, .high, .normal, .high, .low]
    let requests = priorities.enumerated().map { number, priority in
      queue.submit(priority: priority) { _ in order.withLock { $0.append(number) } }
    }
    work.finish(1)
    for request in requests { try await request.value }
    #expect(order.withLock { $0 } == [2, 4, 1, 3, 0, 5])
  }

  @Test("E5 · a request after a delay runs when it has passed, and not before")
  func delay() async throws {
    let queue = queue()
    let request = queue.submit(.after(.seconds(30))) { _ in "sent" }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(29))
    #expect(request.stage == .postponed)
    #expect(queue.load == (0, 1))
    clock.advance(by: .seconds(1))
    #expect(try await request.value == "sent")
  }

  @Test("E5 · a request at a time of day follows the wall clock, also when it is set")
  func timeOfDay() async throws {
    let queue = queue()
    let request = queue.submit(.at(wall.now.addingTimeInterval(90))) { _ in "sent" }
    await clock.waitForSleepers()
    wall.advance(-3_600)
    clock.advance(by: .seconds(60))
    await clock.waitForSleepers()
    #expect(request.stage == .postponed)
    wall.advance(3_690)
    clock.advance(by: .seconds(60))
    #expect(try await request.value == "sent")
    // A time that has passed is no reason to wait.
    #expect(try await queue.run(.at(wall.now)) { _ in "at once" } == "at once")
  }

  @Test("E5 · a request under a condition runs when it holds, or is refused by it")
  func condition() async throws {
    let queue = queue()
    let (news, tell) = AsyncStream<Void>.makeStream()
    let request = queue.submit(.when { for await _ in news { return } }) { _ in "sent" }
    #expect(request.stage == .postponed)
    tell.yield()
    #expect(try await request.value == "sent")
    let refused = queue.submit(.when { () throws(AccountError) in throw .wrongCredentials }) { _ in
      "sent"
    }
    #expect(await refused.result == .failure(.wrongCredentials))
    await reach(queue, running: 0, waiting: 0)
  }

  @Test("E5 · a request that was admitted keeps its place in a queue that is full by then")
  func admittedIntoFull() async throws {
    let (queue, first) = await busyQueue(waiting: 1)
    let request = queue.submit(.after(.seconds(1))) { _ in "sent" }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    while request.stage != .waiting { await Task.yield() }
    #expect(queue.load == (1, 1))
    work.finish(1)
    try await first.value
    #expect(try await request.value == "sent")
  }

  @Test("E5 · who is cancelled leaves the queue, whether it waits for its turn or its time")
  func cancelled() async throws {
    let (queue, first) = await busyQueue()
    let requests = [
      queue.submit { [work] _ in work.run() },
      queue.submit(.after(.seconds(1))) { [work] _ in work.run() },
    ]
    for request in requests {
      request.cancel()
      #expect(await request.result.failure == .cancelled)
    }
    #expect(queue.load == (1, 0))
    work.finish(1)
    try await first.value
    clock.advance(by: .seconds(1))
    await reach(queue, running: 0, waiting: 0)
    #expect(work.done == 1)
  }

  @Test("E5 · a task that is cancelled takes its request along, before and after handing it in")
  func cancelledTask() async throws {
    let (queue, first) = await busyQueue()
    let second = Task {
      await refusal { () async throws(AccountError) in
        try await queue.run { [work] _ in work.run() }
      }
    }
    await reach(queue, running: 1, waiting: 1)
    second.cancel()
    #expect(await second.value == .cancelled)

    let third = Task {
      while !Task.isCancelled { await Task.yield() }
      return await refusal { () async throws(AccountError) in
        try await queue.run { [work] _ in work.run() }
      }
    }
    third.cancel()
    #expect(await third.value == .cancelled)
    work.finish(1)
    try await first.value
    #expect(work.done == 1)
  }

  @Test("E5 · work that has begun learns that nobody wants it, and its result still counts")
  func cancelledWhileRunning() async throws {
    let queue = queue()
    let request = queue.submit { [work] running in
      work.run()
      return running.isCancelled
    }
    await work.waitUntilRunning(1)
    request.cancel()
    work.finish(1)
    #expect(try await request.value)
  }

  @Test("E5 · whoever follows a request sees how far it is, to its end")
  func followed() async throws {
    let (queue, _) = await busyQueue()
    let half = HeldWork()
    let request = queue.submit(.after(.seconds(1))) { running in
      running.report(0.5)
      half.run()
      running.report(7)
      half.run()
    }
    var stages = request.stages.makeAsyncIterator()
    #expect(await stages.next() == .postponed)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await stages.next() == .waiting)
    work.finish(1)
    await half.waitUntilRunning(1)
    #expect(await stages.next() == .running(0.5))
    half.finish(1)
    while half.done < 1 { await Task.yield() }
    await half.waitUntilRunning(1)
    #expect(await stages.next() == .running(1))
    half.finish(1)
    #expect(await stages.next() == .done)
    #expect(await stages.next() == nil)
    #expect(request.stage == .done)
    #expect(await request.stages.first { _ in true } == .done)
  }

  @Test("E5 · a failure is the result, and the last that is seen of the request")
  func failure() async throws {
    let queue = queue()
    let request = queue.submit { _ throws(AccountError) in throw .wrongCredentials }
    #expect(await request.result.failure == .wrongCredentials)
    #expect(request.stage == .failed(.wrongCredentials))
    #expect(try await queue.run { _ in 7 } == 7)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
