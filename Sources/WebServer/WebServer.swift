import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// The theater over HTTP: the same API on a TCP port for pages and on a Unix socket for the
/// terminal.
package struct WebServer: Sendable {
  /// Answers requests, from wherever they come.
  package typealias Responder = RouterResponder<ConnectionContext>

  private let remote: APIServices
  private let logger: Logger

  /// - Parameter logger: Told of what fails inside; a request that works leaves no line.
  package init(_ remote: APIServices, logger: Logger) {
    self.remote = remote
    self.logger = logger
  }

  /// A server for `listener`.
  ///
  /// - Parameter onRunning: Called once it listens, with its channel (for the port, where 0 was
  ///   asked).
  package func server(
    on listener: Listener, onRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
  ) -> Application<Responder> {
    let limits = listener.limits
    let configuration = HTTP1Channel.Configuration(
      // A connection on which nobody asks anything is given up; streams of events are not idle.
      idleTimeout: limits.idle,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: HeadLimits.lineBytes, maxHeaderListSize: HeadLimits.bytes,
        maxHeaderFieldCount: HeadLimits.lines))
    return Application(
      responder: responder(for: listener),
      server: HTTPServerBuilder { respond in
        GuardedChannel(
          http: HTTP1Channel(responder: respond, configuration: configuration),
          certificate: listener.certificate, places: ConnectionLimiter(limits), limits: limits)
      },
      configuration: ApplicationConfiguration(address: listener.address),
      onServerRunning: onRunning, logger: logger)
  }

  /// The routes of the table, each behind the gate; other methods on their paths are refused.
  private func responder(for listener: Listener) -> Responder {
    let admission = Admission(accountService: remote.accountService, cookies: listener.cookies)
    let router = Router(context: ConnectionContext.self)
    router.add(
      middleware: SecurityMiddleware(
        admission: admission, rules: listener.rules,
        insistsOnTLS: listener.insistsOnTLS))
    for (path, routes) in Dictionary(grouping: remote.routes, by: \.path) {
      let allowed = Set(routes.flatMap(\.methods))
      for route in routes {
        for method in route.methods {
          router.on(RouterPath(path), method: method) { request, context in
            try await admission.answer(request, context, by: route)
          }
        }
      }
      for method in SecurityMiddleware.methods.subtracting(allowed) {
        router.on(RouterPath(path), method: method) { _, _ -> Response in
          throw APIError.methodNotAllowed(
            method.rawValue, allowed: allowed.map(\.rawValue).sorted())
        }
      }
    }
    return router.buildResponder()
  }
}
