import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import TheaterAPI

/// The HTTP server of the theater: the page and one API, on a TCP port for browsers and on a Unix socket for the
/// `theater` command.
package struct WebServer: Sendable {
  /// Answers the requests of every listener.
  package typealias Responder = RouterResponder<ConnectionContext>

  private let services: APIServices
  private let site: Site?
  private let logger: Logger

  /// - Parameters:
  ///   - site: The page; `nil` if its files were not found.
  ///   - logger: Receives internal failures; a request that succeeds leaves no line.
  package init(_ services: APIServices, site: Site?, logger: Logger) {
    self.services = services
    self.site = site
    self.logger = logger
  }

  /// Returns a server for `listener`.
  ///
  /// - Parameter onRunning: Called once the server listens, with its channel, which knows the port
  ///   that the system chose for port 0.
  package func server(
    on listener: Listener, onRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
  ) -> Application<Responder> {
    let limits = listener.limits
    let configuration = HTTP1Channel.Configuration(
      // Closes connections without requests. A stream of events is not idle.
      idleTimeout: limits.idle,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: HeadLimits.lineBytes, maxHeaderListSize: HeadLimits.bytes,
        maxHeaderFieldCount: HeadLimits.lines))
    return Application(
      responder: responder(for: listener),
      server: HTTPServerBuilder { respond in
        GuardedChannel(
          http: HTTP1Channel(responder: respond, configuration: configuration),
          certificate: listener.certificate, limiter: ConnectionLimiter(limits), limits: limits)
      },
      configuration: ApplicationConfiguration(address: listener.address),
      onServerRunning: onRunning, logger: logger)
  }

  /// The page and the routes of the contract behind the security middleware. Other methods on their
  /// paths get 405.
  private func responder(for listener: Listener) -> Responder {
    let authorizer = RequestAuthorizer(
      accountService: services.accountService, cookies: listener.cookies)
    let router = Router(context: ConnectionContext.self)
    router.add(
      middleware: SecurityMiddleware(
        authorizer: authorizer, rules: listener.rules,
        insistsOnTLS: listener.insistsOnTLS))
    for (path, file) in site?.files ?? [:] {
      for method: HTTPRequest.Method in [.get, .head] {
        router.on(RouterPath(path), method: method) { request, _ in file.response(to: request) }
      }
      refuseMethods(except: [.get, .head], on: path, of: router)
    }
    for (path, routes) in Dictionary(grouping: services.routes, by: \.route.fullPath) {
      let allowed = Set(routes.flatMap(\.methods))
      for route in routes {
        for method in route.methods {
          router.on(RouterPath(path), method: method) { request, context in
            try await authorizer.answer(request, context, by: route)
          }
        }
      }
      refuseMethods(except: allowed, on: path, of: router)
    }
    return router.buildResponder()
  }

  /// Answers 405 to every method on `path` that is not in `allowed`.
  private func refuseMethods(
    except allowed: Set<HTTPRequest.Method>, on path: String, of router: Router<ConnectionContext>
  ) {
    for method in SecurityMiddleware.methods.subtracting(allowed) {
      router.on(RouterPath(path), method: method) { _, _ -> Response in
        throw APIError.methodNotAllowed(
          method.rawValue, allowed: allowed.map(\.rawValue).sorted())
      }
    }
  }
}
