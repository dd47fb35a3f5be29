import Glibc
import JSON
import Platform
import PluginProtocol
import Synchronization

/// The reason why a request to mpv failed.
enum MpvFailure: Error, Equatable, Sendable {
  /// mpv refused the request.
  case refused(MpvRefusal)
  /// mpv did not answer in time, or does not read its input.
  case timeout
  /// The connection has ended, usually because mpv has ended.
  case closed

  /// The reason, as the end of a message.
  var text: String {
    switch self {
    case .refused(let refusal): "it refused: \(refusal.text)"
    case .timeout: "it does not answer"
    case .closed: "it has ended"
    }
  }
}

/// The connection to one mpv process. It sends requests, and receives their replies and mpv's events. Safe from any
/// thread.
final class MpvLink: Sendable {
  /// The number of lines without a valid message at which the connection is closed.
  private static let mostInvalidLines = 10

  /// The events, in order, for one reader. The stream ends with the connection. If more events wait than
  /// ``MpvEventQueue/mostEvents``, the connection is closed, because mpv floods it or the reader hangs.
  var events: AsyncStream<MpvEvent> { AsyncStream { [self] in await nextEvent() } }
  private let arrivals: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation
  private let connection: any Connection
  private let clock: any TheaterClock
  private let state = Mutex(State())

  /// Whether mpv has answered a request, and so has started.
  var hasAnswered: Bool { state.withLock { $0.hasAnswered } }

  private struct State {
    var nextID = 1
    var hasAnswered = false
    var waiting: [Int: CheckedContinuation<Result<JSON, MpvFailure>, Never>] = [:]
    var queue = MpvEventQueue()
    var invalidLines = 0
    var isClosed = false
  }

  init(_ connection: any Connection, clock: any TheaterClock) {
    self.connection = connection
    self.clock = clock
    (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    connection.start { [self] arrival in
      switch arrival {
      case .line(let bytes): receive(MpvMessage(line: bytes))
      case .oversizedLine: receive(nil)
      case .closed: close()
      }
    }
  }

  /// Sends a command and waits for its reply.
  ///
  /// - Parameters:
  ///   - words: The name of the command, and its arguments.
  ///   - limit: The longest wait for the reply.
  /// - Returns: The data of the reply; `null` if it has none.
  /// - Throws: `refused`, `timeout` or `closed`.
  @discardableResult
  func ask(
    _ words: [JSON], within limit: Duration = .seconds(3)
  ) async throws(MpvFailure) -> JSON {
    try await ask(command: .array(words), within: limit)
  }

  /// Sends a command and waits for its reply, as ``ask(_:within:)`` does.
  ///
  /// - Parameter command: The words of the command, or an object with its name and its named arguments.
  func ask(command: JSON, within limit: Duration) async throws(MpvFailure) -> JSON {
    let timer = Mutex<Task<Void, Never>?>(nil)
    let result = await withCheckedContinuation { continuation in
      let id = state.withLock { state -> Int? in
        guard !state.isClosed else { return nil }
        defer { state.nextID += 1 }
        state.waiting[state.nextID] = continuation
        return state.nextID
      }
      guard let id else { return continuation.resume(returning: .failure(.closed)) }
      let deadline = clock.now() + limit
      timer.withLock {
        $0 = Task { [self] in
          guard (try? await clock.sleep(until: deadline)) != nil else { return }
          finish(id, .failure(.timeout))
        }
      }
      do throws(ConnectionError) {
        try connection.send(MpvMessage.request(id, command))
      } catch {
        finish(id, .failure(error == .closed ? .closed : .timeout))
      }
    }
    timer.withLock { $0?.cancel() }
    return try result.get()
  }

  /// Ends the connection. Requests that wait for a reply fail with `closed`.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    connection.closeSending()
    for request in waiting { request.resume(returning: .failure(.closed)) }
    arrival.finish()
  }

  /// Removes and returns the log lines that were written before this call.
  ///
  /// mpv sends its log after the events that wait at the same time, so the end of a medium may arrive before the log
  /// that explains it. The reply to a request arrives after both.
  func takeLogLines() async -> [MpvEvent] {
    _ = try? await ask(["client_name"])
    return state.withLock { $0.queue.removeLogLines() }
  }

  /// Waits for the next event; nil after the last one.
  private func nextEvent() async -> MpvEvent? {
    while true {
      if let event = state.withLock({ $0.queue.removeFirst() }) { return event }
      var iterator = arrivals.makeAsyncIterator()
      // The connection has ended, but its last event may still wait.
      guard await iterator.next() != nil else { return state.withLock { $0.queue.removeFirst() } }
    }
  }

  private func receive(_ message: MpvMessage?) {
    switch message {
    case .reply(let id, let result):
      state.withLock { $0.hasAnswered = true }
      finish(id, result.mapError { .refused($0) })
    case .event(.other): break
    case .event(let event):
      guard state.withLock({ $0.isClosed || $0.queue.append(event) }) else { return close() }
      arrival.yield()
    case nil:
      let isUnusable = state.withLock { state in
        state.invalidLines += 1
        return state.invalidLines == Self.mostInvalidLines
      }
      if isUnusable { close() }
    }
  }

  private func finish(_ id: Int, _ result: Result<JSON, MpvFailure>) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: result)
  }
}

extension MpvLink {
  /// Returns the value of a property; nil while mpv has no value for it.
  ///
  /// - Throws: `timeout` or `closed`.
  func property(_ name: String) async throws(MpvFailure) -> JSON? {
    do throws(MpvFailure) {
      let value = try await ask(["get_property", .string(name)])
      return value == .null ? nil : value
    } catch {
      if case .refused = error { return nil }
      throw error
    }
  }

  /// Sets a property.
  func set(_ name: String, _ value: JSON) async throws(MpvFailure) {
    try await ask(["set_property", .string(name), value])
  }
}
