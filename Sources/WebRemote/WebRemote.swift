import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The theater over HTTP: the same API on a TCP port for pages and on a Unix socket for the
/// terminal.
package struct WebRemote: Sendable {
  /// Answers requests, from wherever they come.
  package typealias Responder = RouterResponder<RemoteContext>

  private let responder: Responder
  private let logger: Logger

  /// - Parameter logger: Told of what fails inside; a request that works leaves no line.
  package init(_ remote: Remote, logger: Logger) {
    responder = Self.responder(remote)
    self.logger = logger
  }

  /// A server on `address`.
  ///
  /// - Parameter onRunning: Called once it listens, with its channel (for the port, where 0 was
  ///   asked).
  package func server(
    on address: BindAddress, onRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
  ) -> Application<Responder> {
    Application(
      responder: responder,
      server: .http1(
        configuration: .init(
          // A connection on which nobody asks anything is given up; streams of events are not idle.
          idleTimeout: .seconds(75),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 64))),
      configuration: ApplicationConfiguration(address: address),
      onServerRunning: onRunning, logger: logger)
  }

  /// The routes of the table, each behind the gate; other methods on their paths are refused.
  private static func responder(_ remote: Remote) -> Responder {
    let admission = Admission(gate: remote.gate)
    let router = Router(context: RemoteContext.self)
    router.add(middleware: Edge(admission: admission))
    let routes = remote.routes
    for route in routes {
      router.on(RouterPath(route.path), method: route.method) { request, context in
        try await admission.answer(request, context, by: route)
      }
    }
    for (path, lines) in Dictionary(grouping: routes, by: \.path) {
      let allowed = lines.map(\.method.rawValue).sorted()
      for method in knownMethods where !lines.contains(where: { $0.method == method }) {
        router.on(RouterPath(path), method: method) { _, _ -> Response in
          throw APIError.methodNotAllowed(method.rawValue, allowed: allowed)
        }
      }
    }
    return router.buildResponder()
  }

  private static let knownMethods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]
}
