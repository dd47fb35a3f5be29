import Foundation
import JSON
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client of one controller.
struct Controller {
  /// Its address: `http://127.0.0.1:8080`.
  let base: URL

  /// Sends JSON and returns the answer, which may be a refusal: `{"error": …}`.
  func post(_ path: String, _ body: JSON) async throws -> JSON {
    var request = URLRequest(url: base.appending(path: path))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(body.text().utf8)
    return try JSON(parsing: try await URLSession.shared.data(for: request).0)
  }

  /// The server-sent events of a path, until the controller ends the stream.
  func events(_ path: String, token: String) -> AsyncThrowingStream<ServerSentEvent, any Error> {
    var request = URLRequest(url: base.appending(path: path))
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    return AsyncThrowingStream { events in
      let session = URLSession(
        configuration: .ephemeral, delegate: EventReceiver(events), delegateQueue: nil)
      events.onTermination = { _ in session.invalidateAndCancel() }
      session.dataTask(with: request).resume()
    }
  }
}

/// Passes the events of one answer on as they arrive. `URLSession.bytes`, which would do without a
/// delegate, does not exist on Linux.
private final class EventReceiver: NSObject, URLSessionDataDelegate {
  private let events: AsyncThrowingStream<ServerSentEvent, any Error>.Continuation
  private let parser = Mutex(ServerSentEventParser())

  init(_ events: AsyncThrowingStream<ServerSentEvent, any Error>.Continuation) {
    self.events = events
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    for event in parser.withLock({ $0.parse(data) }) { events.yield(event) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    events.finish(throwing: error)
  }
}
