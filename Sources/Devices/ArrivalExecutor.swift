import Glibc

/// Runs tasks where the news arrives that wakes them: on a connection's thread, right after the line
/// was taken.
///
/// A command is a line there and a line back. Waking another thread for each costs more than all
/// else together, so a scene's run and a plugin's device go on in the thread that has read the line
/// they waited for. Their code must not block; what is woken anywhere else runs on the global
/// executor as usual.
public final class ArrivalExecutor: TaskExecutor {
  public static let shared = ArrivalExecutor()

  /// The tasks that were woken during an arrival; touched by its own thread alone.
  private final class Arrival {
    var jobs: [UnownedJob] = []
    var last: [() -> Void] = []
  }

  private let arrivalOfThread: pthread_key_t

  private init() {
    var key = pthread_key_t()
    // Fails only when a process has made a thousand of them.
    precondition(pthread_key_create(&key, nil) == 0, "no thread-local key is left")
    arrivalOfThread = key
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    if let arrival = pthread_getspecific(arrivalOfThread) {
      Unmanaged<Arrival>.fromOpaque(arrival).takeUnretainedValue().jobs.append(UnownedJob(job))
    } else {
      globalConcurrentExecutor.enqueue(job)
    }
  }

  /// Calls `body` when everything that the present arrival has woken is done.
  ///
  /// - Returns: False outside an arrival; nothing will be called then.
  public func atEndOfArrival(_ body: @escaping () -> Void) -> Bool {
    guard let arrival = pthread_getspecific(arrivalOfThread) else { return false }
    Unmanaged<Arrival>.fromOpaque(arrival).takeUnretainedValue().last.append(body)
    return true
  }

  /// Takes news: whoever `body` wakes runs here as soon as it returns.
  public func take(_ body: () -> Void) {
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
