import Devices
import JSON
import PJLink
import Platform
import PluginKit
import PluginProtocol

/// A job of the controller, with its result.
struct PendingJob: Sendable {
  let job: ProjectorModel.Job
  let result = PendingResult()

  init(_ job: ProjectorModel.Job) { self.job = job }
}

/// The worker of a projector. In one task, it executes the controller's jobs, and polls the state between them.
struct ProjectorWorker {
  /// The shortest time between two log lines about received lines that answer no request.
  private static let garbageInterval = Duration.seconds(600)

  let context: DeviceContext
  let jobs: TimedQueue<PendingJob>
  let clock: any TheaterClock
  /// Returns random numbers, evenly distributed from 0 to 1.
  let random: @Sendable () -> Double
  var model: ProjectorModel
  var link: ProjectorLink
  private var current: PendingJob?
  private var nextGarbageLog = Duration.zero

  init(
    context: DeviceContext, jobs: TimedQueue<PendingJob>, clock: any TheaterClock,
    random: @escaping @Sendable () -> Double, model: ProjectorModel, link: ProjectorLink
  ) {
    self.context = context
    self.jobs = jobs
    self.clock = clock
    self.random = random
    self.model = model
    self.link = link
  }

  /// Works until the task is cancelled, then closes the connection.
  mutating func run() async {
    // No request is sent before the device is opened.
    if let first = await jobs.next(until: nil, on: clock) { begin(first) }
    while !Task.isCancelled {
      beginNextJob()
      switch model.next(at: clock.now()) {
      case .ask(let request): await ask(request)
      case .wait(let time): await wait(until: time)
      }
    }
    link.close()
    current?.result.finish(.failure(LinkFailure.cancelled.error(at: link.hostAndPort)))
  }

  /// Drops a cancelled job. Begins the next job if none is in progress.
  private mutating func beginNextJob() {
    if current?.result.isFinished == true {
      model.abandon()
      current = nil
    }
    if current == nil, let job = jobs.popFirst() { begin(job) }
  }

  private mutating func begin(_ job: PendingJob) {
    guard !job.result.isFinished else { return }
    current = job
    apply(model.begin(job.job))
  }

  private mutating func ask(_ request: PJLinkRequest) async {
    do throws(LinkFailure) {
      let answer = try await link.ask(request)
      logIgnored()
      apply(model.handleAnswer(answer, to: request, method: link.method, at: clock.now()))
    } catch {
      logIgnored()
      guard error != .cancelled else { return }
      apply(model.handleFailure(error, of: request, at: clock.now(), random: random()))
    }
  }

  private mutating func wait(until time: Duration?) async {
    let deadlines = [time, link.idleDeadline].compactMap(\.self)
    if let job = await jobs.next(until: deadlines.min(), on: clock) { return begin(job) }
    link.closeIfIdle()
  }

  private mutating func apply(_ effects: [ProjectorModel.Effect]) {
    for effect in effects {
      switch effect {
      case .report(let values, let provenance): context.report(values, provenance: provenance)
      case .reportAttributes(let attributes): context.report(attributes: attributes)
      case .log(let level, let text): context.log(level, text)
      case .finish(let result):
        current?.result.finish(result)
        current = nil
      }
    }
  }

  private mutating func logIgnored() {
    let lines = link.removeIgnored()
    guard let first = lines.first, nextGarbageLog <= clock.now() else { return }
    nextGarbageLog = clock.now() + Self.garbageInterval
    context.log(.warning, "the projector sent a line that answers no request: \(first)")
  }
}
