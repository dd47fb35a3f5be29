import Glibc

/// An executor that resumes a task on the thread that has read the message for which the task waits. An arrival is the
/// handling of one such message by `run`.
///
/// A command is one message to the plugin and one back. Waking another thread for each takes longer
/// than everything else, so scene runs and plugin devices resume on the thread that has read the
/// message. Their code must not block. Tasks that are resumed elsewhere run on the global executor.
public final class ArrivalExecutor: TaskExecutor {
  /// The executor of all arrivals in this process.
  public static let shared = ArrivalExecutor()

  /// The tasks that were resumed during an arrival. Only its own thread uses it.
  private final class Arrival {
    var jobs: [UnownedJob] = []
    var last: [() -> Void] = []
  }

  private let arrivalOfThread: pthread_key_t

  private init() {
    var key = pthread_key_t()
    // A process has 1,024 keys; this fails when they are used up.
    precondition(pthread_key_create(&key, nil) == 0, "no thread-local key is left")
    arrivalOfThread = key
  }

  /// Keeps the job for the arrival that this thread handles; without one, passes it to the global
  /// executor.
  public func enqueue(_ job: consuming ExecutorJob) {
    if let arrival = pthread_getspecific(arrivalOfThread) {
      Unmanaged<Arrival>.fromOpaque(arrival).takeUnretainedValue().jobs.append(UnownedJob(job))
    } else {
      globalConcurrentExecutor.enqueue(job)
    }
  }

  /// Calls `body` after the tasks that the present arrival has resumed.
  ///
  /// - Returns: False outside an arrival; `body` is not called then.
  public func atEndOfArrival(_ body: @escaping () -> Void) -> Bool {
    guard let arrival = pthread_getspecific(arrivalOfThread) else { return false }
    Unmanaged<Arrival>.fromOpaque(arrival).takeUnretainedValue().last.append(body)
    return true
  }

  /// Calls `body`, which handles a message, and then runs on this thread the tasks that it resumed.
  public func run(_ body: () -> Void) {
    guard pthread_getspecific(arrivalOfThread) == nil else { return body() }
    let arrival = Arrival()
    pthread_setspecific(arrivalOfThread, Unmanaged.passUnretained(arrival).toOpaque())
    body()
    while !arrival.jobs.isEmpty {
      let jobs = arrival.jobs
      arrival.jobs = []
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
    pthread_setspecific(arrivalOfThread, nil)
    for body in arrival.last { body() }
  }
}
