import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import TheaterAPI

/// The HTTP server of the theater: the page and one API, on a TCP port for browsers and on a Unix socket for the
/// `theater` command.
package struct WebServer: Sendable {
  /// Answers the requests of every listener.
  package typealias Responder = RouterResponder<ConnectionContext>

  private let services: APIServices
  private let site: Site?
  private let logger: Logger
  private let date = DateField()

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
  /// Hummingbird's `Application` is left out: each one would wake the process every second for the `Date`
  /// field.
  ///
  /// - Parameter onRunning: Called once the server listens, with its channel, which knows the port
  ///   that the system chose for port 0.
  package func server(
    on listener: Listener, onRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
  ) throws -> any Service {
    let limits = listener.limits
    let http = HTTP1Channel.Configuration(
      // Closes connections without requests. A stream of events is not idle.
      idleTimeout: limits.idle,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: HeadLimits.lineBytes, maxHeaderListSize: HeadLimits.bytes,
        maxHeaderFieldCount: HeadLimits.lines))
    let builder = HTTPServerBuilder { respond in
      GuardedChannel(
        http: HTTP1Channel(responder: respond, configuration: http),
        certificate: listener.certificate, limiter: ConnectionLimiter(limits), limits: limits)
    }
    let answers = Answers(responder: responder(for: listener), date: date, logger: logger)
    return try builder.buildServer(
      configuration: ServerConfiguration(address: listener.address),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        try await answers.answer(request, on: channel, to: writer)
      },
      onServerRunning: { [logger] channel in
        // Fails only if the listener is closed already.
        try? await channel.eventLoop.submit {
          try channel.pipeline.syncOperations.addHandler(
            AcceptGuard(isPlain: listener.certificate == nil, logger: logger), position: .first)
        }.get()
        await onRunning(channel)
      })
  }

  /// The page and the routes of the contract behind the security middleware. Other methods on their
  /// paths get 405.
  private func responder(for listener: Listener) -> Responder {
    let authorizer = RequestAuthorizer(
      accountService: services.accountService, cookies: listener.cookies,
      isConfidential: listener.isConfidential, unreadAnswers: services.unreadAnswers)
    let router = Router(context: ConnectionContext.self)
    router.add(
      middleware: SecurityMiddleware(
        authorizer: authorizer, rules: listener.rules,
        insistsOnTLS: listener.insistsOnTLS))
    for (path, file) in site?.files ?? [:] {
      for method: HTTPRequest.Method in [.get, .head] {
        router.on(RouterPath(path), method: method) { request, context in
          file.response(to: request).counted(
            by: services.unreadAnswers, for: .stranger(on: context.channel), on: context.channel)
        }
      }
      refuseMethods(except: [.get, .head], on: path, of: router)
    }
    for (path, routes) in Dictionary(grouping: services.routes, by: \.route.fullPath) {
      let allowed = Set(routes.flatMap(\.methods))
      for route in routes {
        for method in route.methods {
          router.on(RouterPath(path), method: method) { request, context in
            try await authorizer.respond(to: request, context, by: route)
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

/// Makes and writes the answers of one listener.
private struct Answers: Sendable {
  let responder: WebServer.Responder
  let date: DateField
  let logger: Logger

  /// The request turned out to be no HTTP while its answer was being sent.
  private struct BrokenAnswer: Error {}

  /// Answers a request.
  func answer(
    _ request: Request, on channel: any Channel, to writer: consuming ResponseWriter
  ) async throws {
    do {
      if request.uri.path == PlaybackEndpoint.events.route.fullPath {
        let (body, bodyWriter) = try await beginStream(request, on: channel, to: writer)
        try await body.write(bodyWriter)
      } else {
        try await write(request, on: channel, to: writer)
      }
    } catch is HTTPParserError {
      // The server would send 400 after the answer that was begun; so it only closes the connection.
      throw BrokenAnswer()
    }
  }

  /// Makes the answer that is a stream of events, and writes its head.
  ///
  /// The task of the connection may last for weeks, and keeps the memory of its deepest calls and of the locals of the
  /// function in which it waits. So another task makes the answer, and its head is forgotten when it is written.
  ///
  /// - Returns: The body.
  @inline(never)
  private func beginStream(
    _ request: Request, on channel: any Channel, to writer: consuming ResponseWriter
  ) async throws -> (ResponseBody, any ResponseBodyWriter) {
    let response = try await responseOfTask(request, on: channel)
    return (response.body, try await writer.writeHead(response.head))
  }

  @inline(never)
  private func responseOfTask(_ request: Request, on channel: any Channel) async throws -> Response
  {
    try await Task { try await response(to: request, on: channel) }.value
  }

  @inline(never)
  private func write(
    _ request: Request, on channel: any Channel, to writer: consuming ResponseWriter
  ) async throws {
    let response = try await response(to: request, on: channel)
    try await writer.write(response: response.head, body: response.body)
  }

  private func response(to request: Request, on channel: any Channel) async throws -> Response {
    let source = ApplicationRequestContextSource(channel: channel, logger: logger)
    var response = try await responder.respond(to: request, context: .init(source: source))
    response.headers[.date] = date.value
    return response
  }
}
