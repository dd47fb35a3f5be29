import NIOCore
import ServiceLifecycle

/// An outbound event for ``ConnectionGuard``: sets the function that is called once when the client closes its
/// side of the connection, the connection is closed, or the server stops. The next watch replaces it.
///
/// A server that stops closes its listener first: a client that connects after the call is refused.
///
/// An answer that lasts long would otherwise need a task that waits for the next request.
struct InputWatch: Sendable {
  let onClosed: @Sendable () -> Void
}

extension Channel {
  /// Calls `onClosed` once when the client closes its side of the connection, the connection is closed, or the
  /// server has closed its listener to stop.
  func watchInput(_ onClosed: @escaping @Sendable () -> Void) {
    let isWatched = eventLoop.makePromise(of: Void.self)
    // Fails if the connection is closed already.
    isWatched.futureResult.whenFailure { _ in onClosed() }
    triggerUserOutboundEvent(InputWatch(onClosed: onClosed), promise: isWatched)
  }

  /// Runs work that is cancelled when the client closes its side of the connection, at a graceful shutdown, and
  /// with the task.
  ///
  /// Hummingbird's `consumeWithCancellationOnInboundClose` traps after a body was read.
  func cancelWhenClosed<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let work = Task(operation: body)
    watchInput { work.cancel() }
    let result = await withTaskCancellationOrGracefulShutdownHandler {
      await work.result
    } onCancelOrGracefulShutdown: {
      work.cancel()
    }
    return try result.get()
  }
}
