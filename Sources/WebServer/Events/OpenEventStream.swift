import Devices
import HomeTheater
import NIOCore
import Synchronization

/// The open stream of one client: its place in the event log, and whether a text is on its way.
///
/// The event log holds the events for all clients. A client that does not read therefore costs only the
/// data on its way: one text here and 128 KiB in the kernel.
final class OpenEventStream: Sendable {
  private struct State {
    /// The number of the last event that the client has or that is on its way.
    var place: Int
    /// A comment to be sent.
    var comment: String? = "connected"
    /// Whether a text is being made or is on its way. There is one at a time.
    var isBusy = false
    /// Whether there may be more to send than the text on its way.
    var hasMore = false
    var isOver = false
    /// The levels of amplifiers, for a client that wants them.
    var levels: LevelSubscription?
    var waiter: CheckedContinuation<Void, Never>?

    var isDone: Bool { isOver && !isBusy }
  }

  /// The client, by whose rights its snapshots are made.
  let principal: Principal
  /// The room whose activity its snapshots show first; `nil` for the first one of the file.
  let room: RoomID?
  private let channel: any Channel
  private let broadcaster: EventBroadcaster
  private let state: Mutex<State>

  /// - Parameters:
  ///   - place: The number of the last event that the client knows; `nil` if it needs a snapshot.
  ///   - hasLevels: Whether the client gets the levels of amplifiers, too.
  ///   - channel: The connection of the stream. The stream ends when the client closes its side, or when
  ///     the controller stops, and the connection ends with the stream. A controller that stops closes its listener
  ///     first, so that a client that asks why its stream ended finds no controller.
  init(
    of principal: Principal, in room: RoomID?, after place: Int?, hasLevels: Bool,
    on channel: any Channel,
    by broadcaster: EventBroadcaster
  ) {
    self.principal = principal
    self.room = room
    self.channel = channel
    self.broadcaster = broadcaster
    let levels = hasLevels ? broadcaster.theater.levels.subscribe { broadcaster.wake() } : nil
    state = Mutex(State(place: place ?? -1, levels: levels))
  }

  /// Serves the stream until it has ended and nothing is on its way. It ends when the task is cancelled, too. The
  /// connection of a client that reads nothing is dropped soon after the end.
  func serve() async {
    channel.watchInput { self.end() }
    broadcaster.add(self)
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isDone = state.withLock { state in
          if !state.isDone { state.waiter = waiter }
          return state.isDone
        }
        if isDone { waiter.resume() }
      }
    } onCancel: {
      end()
    }
    broadcaster.remove(self)
    // Ends the subscription outside the lock, because its end sends to plugins.
    _ = state.withLock { $0.levels.take() }
  }

  /// Ends the stream at once, and soon its connection, even if the client reads nothing.
  func end() {
    let waiter = state.withLock { state in
      state.isOver = true
      return state.isDone ? state.waiter.take() : nil
    }
    waiter?.resume()
    channel.triggerUserOutboundEvent(ConnectionEnding(), promise: nil)
  }

  /// Requests a keep-alive.
  func requestKeepAlive() {
    state.withLock { if $0.comment == nil { $0.comment = "keep-alive" } }
    broadcaster.wake()
  }

  /// Begins a text, which `send` or `finishText` must follow.
  ///
  /// - Returns: The number of the last event that the client has; `nil` if the stream is over, or busy. A busy stream
  ///   wakes the broadcaster when its text is sent.
  func begin() -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      guard !state.isBusy else {
        state.hasMore = true
        return nil
      }
      state.isBusy = true
      return state.place
    }
  }

  /// Sends the text that was begun. The newest levels and a comment go with it: a slow client skips the older levels.
  ///
  /// - Parameters:
  ///   - events: The events after those that the client has; may be empty.
  ///   - place: The number of the last of them.
  ///   - hasMore: Whether the log has later ones.
  func send(_ events: ByteBuffer, upTo place: Int, hasMore: Bool = false) {
    let levels = (state.withLock { $0.levels }?.drain() ?? []).filter {
      broadcaster.shows($0.device, to: principal)
    }
    let isSending = state.withLock { state in
      guard !state.isOver else { return false }
      state.place = place
      var text = EventText(events)
      if let comment = state.comment.take() { text.appendComment(comment) }
      for entry in levels { text.appendEvent(.levels, data: entry.json) }
      guard text.count > 0 else { return false }
      state.hasMore = state.hasMore || hasMore
      // Handed over under the lock, so that nothing is sent after the end.
      let part = StreamedText(bytes: text.buffer)
      channel.eventLoop.execute { [self] in
        let share = broadcaster.unreadAnswers.count(
          part.bytes.readableBytes, for: .user(principal.user ?? ""), on: channel)
        let sent = channel.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in
          withExtendedLifetime(share) {}
          self.finishText()
        }
        channel.triggerUserOutboundEvent(part, promise: sent)
      }
      return true
    }
    if !isSending { finishText() }
  }

  /// Finishes the text: the system has taken it, there is none, or the connection is closed.
  func finishText() {
    let (hasMore, waiter) = state.withLock { state in
      state.isBusy = false
      defer { state.hasMore = false }
      return (state.hasMore, state.isDone ? state.waiter.take() : nil)
    }
    waiter?.resume()
    if hasMore { broadcaster.wake() }
  }
}
