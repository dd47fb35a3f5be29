import NIOCore
import Platform

/// Runs the task of a connection on its event loop, so that a request that costs little is answered on
/// the thread on which it arrives. Every other connection of the loop waits meanwhile: a route that
/// may take long leaves the executor (`BoundRoute.isBrief`).
final class ConnectionExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute {
      // A run that the request starts sends its first command from here, not from a third thread.
      ArrivalExecutor.shared.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
