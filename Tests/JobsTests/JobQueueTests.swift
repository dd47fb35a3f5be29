import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Jobs

@Suite(.timeLimit(.minutes(5))) struct JobQueueTests {
  private struct Failure: Error, Equatable {}

  private let clock = ManualClock()
  private let wall = ManualDate()
  private let work = HeldWork()

  private func queue(workers: Int = 1, capacity: Int = 64) -> JobQueue {
    JobQueue(workers: workers, capacity: capacity, clock: clock) { [wall] in wall.now }
  }

  private func wait(for queue: JobQueue, running: Int, pending: Int) async {
    while queue.load != (running, pending) { await Task.yield() }
  }

  /// A queue whose one worker is busy until `work` is finished.
  private func busyQueue(capacity: Int = 64) async -> (JobQueue, Job<Void, Never>) {
    let queue = queue(capacity: capacity)
    let first = queue.submit { [work] _ in work.run() }
    await work.waitUntilRunning(1)
    return (queue, first)
  }

  /// The error of a job that runs `work`.
  private func error(of queue: JobQueue) async -> JobError<Never>? {
    do throws(JobError<Never>) {
      try await queue.run { [work] _ in work.run() }
      return nil
    } catch {
      return error
    }
  }

  @Test("E5 · runs as many jobs at a time as it has workers, then ends its threads")
  func bounded() async throws {
    let queue = queue(workers: 2)
    let jobs = (0..<20).map { _ in queue.submit { [work] _ in work.run() } }
    await work.waitUntilRunning(2)
    #expect(queue.load == (2, 18))
    work.finish(20)
    for job in jobs { try await job.value }
    #expect(work.most == 2)
    #expect(work.done == 20)
    #expect(queue.begun == 20)
    await wait(for: queue, running: 0, pending: 0)
  }

  @Test("E5 · a larger pool begins waiting jobs at once")
  func grows() async throws {
    let queue = queue(workers: 1)
    let jobs = (0..<6).map { _ in queue.submit { [work] _ in work.run() } }
    await work.waitUntilRunning(1)
    #expect(queue.load == (1, 5))
    queue.resize(to: 4)
    await work.waitUntilRunning(4)
    #expect(queue.load == (4, 2))
    work.finish(6)
    for job in jobs { try await job.value }
    #expect(work.most == 4)
    await wait(for: queue, running: 0, pending: 0)
  }

  @Test("E5 · a smaller pool lets running jobs end, then runs fewer", arguments: [1, 0, -3])
  func shrinks(_ size: Int) async throws {
    let queue = queue(workers: 3)
    let first = (0..<3).map { _ in queue.submit { [work] _ in work.run() } }
    await work.waitUntilRunning(3)
    queue.resize(to: size)
    #expect(work.running == 3)
    let later = HeldWork()
    let second = (0..<3).map { _ in queue.submit { _ in later.run() } }
    #expect(queue.load == (3, 3))
    work.finish(3)
    for job in first { try await job.value }
    later.finish(3)
    for job in second { try await job.value }
    #expect(later.most == 1)
    await wait(for: queue, running: 0, pending: 0)
  }

  @Test("E5 · no job is lost or run twice while the pool changes its size")
  func resizedUnderLoad() async throws {
    let queue = queue(workers: 1, capacity: 1000)
    let count = Mutex(0)
    let jobs = (0..<400).map { number in
      if number.isMultiple(of: 5) { queue.resize(to: 1 + number % 7) }
      return queue.submit { _ in count.withLock { $0 += 1 } }
    }
    for job in jobs { try await job.value }
    #expect(count.withLock { $0 } == 400)
    #expect(queue.begun == 400)
    await wait(for: queue, running: 0, pending: 0)
  }

  @Test("E5 · a full queue refuses at once, and accepts jobs again when it has room")
  func full() async throws {
    let (queue, first) = await busyQueue(capacity: 2)
    let second = queue.submit { _ in 2 }
    let third = queue.submit(.after(.seconds(1))) { _ in 3 }
    for admission in [JobAdmission.now, .after(.seconds(1))] {
      let refused = queue.submit(admission) { _ in 4 }
      #expect(refused.stage == .refused)
      #expect(await refused.result == .failure(.queueFull))
    }
    work.finish(1)
    try await first.value
    #expect(try await second.value == 2)
    third.cancel()
    #expect(try await queue.run { _ in 7 } == 7)
  }

  @Test("E5 · begins jobs by priority, then in order of arrival")
  func priorities() async throws {
    let (queue, _) = await busyQueue()
    let order = Mutex<[Int]>([])
    let priorities: [JobPriority] = [.low, .normal, .high, .normal, .high, .low]
    let jobs = priorities.enumerated().map { number, priority in
      queue.submit(priority: priority) { _ in order.withLock { $0.append(number) } }
    }
    work.finish(1)
    for job in jobs { try await job.value }
    #expect(order.withLock { $0 } == [2, 4, 1, 3, 0, 5])
  }

  @Test("E5 · a job with a delay begins when the delay has passed")
  func delay() async throws {
    let queue = queue()
    let job = queue.submit(.after(.seconds(30))) { _ in "sent" }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(29))
    #expect(job.stage == .postponed)
    #expect(queue.load == (0, 1))
    clock.advance(by: .seconds(1))
    #expect(try await job.value == "sent")
  }

  @Test("E5 · a job at a time of day follows the wall clock, also after the clock is set")
  func timeOfDay() async throws {
    let queue = queue()
    let start = wall.now
    let job = queue.submit(.at(start + 90)) { _ in "sent" }
    await clock.waitForSleepers()
    wall.advance(by: -3_600)
    clock.advance(by: .seconds(60))
    await clock.waitForSleepers()
    #expect(job.stage == .postponed)
    wall.advance(by: 3_690)
    clock.advance(by: .seconds(60))
    #expect(try await job.value == "sent")
    // A job whose time has passed begins at once.
    #expect(try await queue.run(.at(start)) { _ in "at once" } == "at once")
  }

  @Test("E5 · a job with a condition begins when it is met, and is refused when it is not")
  func condition() async throws {
    let queue = queue()
    let (changes, change) = AsyncStream<Bool>.makeStream()
    let job = queue.submit(.when { await changes.first { _ in true } ?? false }) { _ in "sent" }
    #expect(job.stage == .postponed)
    change.yield(true)
    #expect(try await job.value == "sent")
    let refused = queue.submit(.when { false }) { _ in "sent" }
    #expect(await refused.result == .failure(.refused))
    #expect(refused.stage == .refused)
    await wait(for: queue, running: 0, pending: 0)
  }

  @Test("E5 · a job with several admissions passes them in order, then begins")
  func severalAdmissions() async throws {
    let queue = queue()
    let asked = Mutex(0)
    let (changes, change) = AsyncStream<Bool>.makeStream()
    let admission = JobAdmission.all([
      .after(.seconds(30)),
      .when {
        asked.withLock { $0 += 1 }
        return await changes.first { _ in true } ?? false
      },
    ])
    let job = queue.submit(admission) { _ in "sent" }
    await clock.waitForSleepers()
    #expect(asked.withLock { $0 } == 0)
    clock.advance(by: .seconds(30))
    while asked.withLock({ $0 }) == 0 { await Task.yield() }
    #expect(job.stage == .postponed)
    change.yield(true)
    #expect(try await job.value == "sent")
    let refused = queue.submit(.all([.when { false }, .after(.seconds(1))])) { _ in "sent" }
    #expect(await refused.result == .failure(.refused))
  }

  @Test(
    "E5 · a postponed job holds its place: it is not refused when its delay is over and the queue is full"
  )
  func admittedIntoFull() async throws {
    let (queue, first) = await busyQueue(capacity: 1)
    let job = queue.submit(.after(.seconds(1))) { _ in "sent" }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    while job.stage != .waiting { await Task.yield() }
    #expect(queue.load == (1, 1))
    work.finish(1)
    try await first.value
    #expect(try await job.value == "sent")
  }

  @Test("E5 · a cancelled job leaves the queue, whether it waits, is delayed or has a condition")
  func cancelled() async throws {
    let (queue, first) = await busyQueue()
    let jobs = [
      queue.submit { [work] _ in work.run() },
      queue.submit(.after(.seconds(1))) { [work] _ in work.run() },
      queue.submit(.when { await AsyncStream<Bool> { _ in }.first { $0 } == nil }) {
        [work] _ in work.run()
      },
    ]
    for job in jobs {
      job.cancel()
      #expect(await job.result.failure == .cancelled)
      #expect(job.stage == .cancelled)
    }
    #expect(queue.load == (1, 0))
    work.finish(1)
    try await first.value
    clock.advance(by: .seconds(1))
    await wait(for: queue, running: 0, pending: 0)
    #expect(work.done == 1)
  }

  @Test("E5 · cancelling a task cancels its job, before and after it is submitted")
  func cancelledTask() async throws {
    let (queue, first) = await busyQueue()
    let second = Task { await error(of: queue) }
    await wait(for: queue, running: 1, pending: 1)
    second.cancel()
    #expect(await second.value == .cancelled)

    let third = Task {
      while !Task.isCancelled { await Task.yield() }
      return await error(of: queue)
    }
    third.cancel()
    #expect(await third.value == .cancelled)
    work.finish(1)
    try await first.value
    #expect(work.done == 1)
  }

  @Test("E5 · running work can ask whether it was cancelled, and its result still counts")
  func cancelledWhileRunning() async throws {
    let queue = queue()
    let job = queue.submit { [work] running in
      work.run()
      return running.isCancelled
    }
    await work.waitUntilRunning(1)
    job.cancel()
    work.finish(1)
    #expect(try await job.value)
  }

  @Test("E5 · an observer follows a job through its stages to the end")
  func observed() async throws {
    let (queue, _) = await busyQueue()
    let half = HeldWork()
    let job = queue.submit(.after(.seconds(1))) { running in
      running.report(0.5)
      half.run()
      running.report(7)
      half.run()
    }
    var stages = job.stages.makeAsyncIterator()
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
    #expect(job.stage == .done)
    #expect(await job.stages.first { _ in true } == .done)
  }

  @Test("E5 · an error of the work is the result, and the worker goes on")
  func failure() async throws {
    let queue = queue()
    let job = queue.submit { _ throws(Failure) in throw Failure() }
    #expect(await job.result.failure == .failed(Failure()))
    #expect(job.stage == .failed)
    #expect(try await queue.run { _ in 7 } == 7)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
