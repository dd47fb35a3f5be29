import Glibc
import Platform
import Synchronization

/// Calls that read a disk or share, on separate threads.
///
/// A call to a dead share returns when the share answers again, which may be never. So each call has a limit. While an
/// overdue call has not returned, further calls to the same place fail at once: at most ``mostCalls`` threads wait for
/// one place. Safe from any thread.
package final class DiskCalls: Sendable {
  /// The longest time of a call that reads little, unless it names another one.
  package static let limit = Duration.seconds(3)
  /// The time between two checks whether the place of a long call still answers.
  package static let interval = Duration.seconds(5)
  /// The largest number of calls to one place at the same time.
  package static let mostCalls = 16

  /// The calls to a place that have not returned, and those of them that are overdue.
  private struct Place {
    var calls = 0
    var overdue: Set<Int> = []
  }
  private struct State {
    var places: [String: Place] = [:]
    var next = 0
  }

  private let state = Mutex(State())
  private let limit: Duration
  private let clock: any TheaterClock

  /// - Parameters:
  ///   - limit: The longest time of a call that names no other one.
  ///   - clock: The clock for the limits. A disk answers in real time, whatever the clock of the player is.
  package init(limit: Duration = DiskCalls.limit, clock: any TheaterClock = SystemClock()) {
    self.limit = limit
    self.clock = clock
  }

  /// Runs a call that reads little.
  ///
  /// - Parameters:
  ///   - place: The folder, file or drive that it reads. Calls are counted by it.
  ///   - limit: The longest wait for its result, and before that for its turn.
  /// - Throws: `unreachable` after the limit, or while an earlier call is overdue; the error of the call.
  package func run<Value: Sendable>(
    at place: String, limit: Duration? = nil,
    _ body: @escaping @Sendable () throws(MediaFailure) -> Value
  ) async throws(MediaFailure) -> Value {
    let limit = limit ?? self.limit
    let call = try await begin(at: place, within: limit, body)
    if let result = await call.result(within: limit, on: clock) { return try result.get() }
    return try giveUp(call, at: place)
  }

  /// Runs a call that may read for minutes, as long as the folder `place` still answers.
  package func runLong<Value: Sendable>(
    at place: String, check: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable () throws(MediaFailure) -> Value
  ) async throws(MediaFailure) -> Value {
    let call = try await begin(at: place, within: limit, body)
    while true {
      if let result = await call.result(within: Self.interval, on: clock) {
        return try result.get()
      }
      do throws(MediaFailure) {
        try await run(at: place) { () throws(MediaFailure) in check() }
      } catch {
        return try giveUp(call, at: place)
      }
    }
  }

  /// Runs a call that reads much, whose result is of use only within the limit. A place that only is slow is not given
  /// up.
  ///
  /// - Parameter check: A call that reads little, to learn whether the place still answers.
  /// - Returns: The result; nil if the call takes longer although the place answers. It ends unheeded then.
  /// - Throws: `unreachable` if the place does not answer; the error of the call.
  package func runInTime<Value: Sendable>(
    at place: String, check: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable () throws(MediaFailure) -> Value
  ) async throws(MediaFailure) -> Value? {
    let call = try await begin(at: place, within: limit, body)
    if let result = await call.result(within: limit, on: clock) { return try result.get() }
    do throws(MediaFailure) {
      try await run(at: place) { () throws(MediaFailure) in check() }
    } catch {
      return try giveUp(call, at: place)
    }
    return try call.peek()?.get()
  }

  private func giveUp<Value>(_ call: Call<Value>, at place: String) throws(MediaFailure) -> Value {
    let result = state.withLock { state -> Result<Value, MediaFailure>? in
      if let result = call.peek() { return result }
      state.places[place]?.overdue.insert(call.id)
      return nil
    }
    guard let result else { throw Self.noAnswer(place) }
    return try result.get()
  }

  private func begin<Value: Sendable>(
    at place: String, within limit: Duration,
    _ body: @escaping @Sendable () throws(MediaFailure) -> Value
  ) async throws(MediaFailure) -> Call<Value> {
    let id = try await reserve(at: place, within: limit)
    let call = Call<Value>(id: id)
    SystemThread.start(name: "media") { [self] in
      let result = Result { () throws(MediaFailure) in try body() }
      state.withLock { state in
        call.finish(result)
        state.places[place]?.overdue.remove(id)
        state.places[place]?.calls -= 1
        if state.places[place]?.calls == 0 { state.places[place] = nil }
      }
    }
    return call
  }

  /// Waits until one more call to a place may begin, such as while a disk spins up. Returns the number of the call.
  private func reserve(
    at place: String, within limit: Duration
  ) async throws(MediaFailure) -> Int {
    let deadline = clock.now() + limit
    while true {
      let (id, isOverdue) = state.withLock { state -> (Int?, Bool) in
        let here = state.places[place] ?? Place()
        guard here.overdue.isEmpty else { return (nil, true) }
        guard here.calls < Self.mostCalls else { return (nil, false) }
        state.places[place, default: here].calls += 1
        state.next += 1
        return (state.next, false)
      }
      if let id { return id }
      guard !isOverdue, clock.now() < deadline,
        (try? await clock.sleep(for: .milliseconds(10))) != nil
      else { throw Self.noAnswer(place) }
    }
  }

  private static func noAnswer(_ place: String) -> MediaFailure {
    MediaFailure(
      .unreachable, subject: place, detail: "its disk or share does not answer",
      hint: "Is it connected, and is its machine on?")
  }

  /// A call, and its result once it has returned.
  private final class Call<Value: Sendable>: Sendable {
    let id: Int
    private let value = Mutex<Result<Value, MediaFailure>?>(nil)
    private let results: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(id: Int) {
      self.id = id
      (results, signal) = AsyncStream.makeStream()
    }

    func finish(_ result: Result<Value, MediaFailure>) {
      value.withLock { $0 = result }
      signal.finish()
    }

    func peek() -> Result<Value, MediaFailure>? { value.withLock(\.self) }

    /// Waits for the result; nil after the limit.
    func result(
      within limit: Duration, on clock: any TheaterClock
    ) async -> Result<Value, MediaFailure>? {
      let deadline = clock.now() + limit
      let timer = Task {
        if (try? await clock.sleep(until: deadline)) != nil { signal.yield() }
      }
      defer { timer.cancel() }
      // Unstructured, so that the cancellation of the caller does not look like a dead disk.
      let wait = Task { for await _ in results { return } }
      await wait.value
      return peek()
    }
  }
}

extension MediaFolder {
  /// Reads one entry of the folder, to see whether its disk answers; blocks.
  package func checkAnswers() throws(MediaFailure) {
    guard let directory = opendir(root) else {
      throw MediaFailure(.unreachable, subject: root, detail: Self.systemText(errno))
    }
    _ = readdir(directory)
    closedir(directory)
  }
}
