import Devices
import JSON

/// The declaration of one operation of the API, without its implementation.
public struct Route: Sendable {
  /// The base path of all routes.
  public static let base = "/api/v1"

  /// The HTTP methods of the contract. Every GET route also answers HEAD.
  public enum Method: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// Who may use a route.
  public enum Access: Sendable, Hashable {
    /// Everyone, without a session: the routes that lead to a session, and the health check.
    case everyone
    /// Sessions whose role has this permission, and these access tokens of an account whose role has it.
    case permitted(Permission, tokens: TokenAccess)
  }

  /// The access tokens that may use a route. There is no default: each route says it.
  public enum TokenAccess: Sendable, Hashable {
    /// No token: credentials, sessions and people, and everything that always needs a fresh proof.
    case never
    /// Those that may do everything of their owner's role.
    case everything
    /// Those that may `view`.
    case view
    /// Those that may perform this operation.
    case command(String)
    /// Those that may run the scene that the path names.
    case scene
    /// Those that may begin the activity that the path names.
    case activity
    /// Those that may give the device that the path names the command in the body.
    case device
  }

  /// The body of a request.
  public enum Body: Sendable, Hashable {
    case none
    /// A JSON value of this schema; an empty body counts as `{}`.
    case json(Schema)
    /// A JSON text that is read as it stands, so that the answer can name lines and columns of it.
    case text
  }

  /// The body of a successful answer.
  public enum Answer: Sendable {
    case empty
    /// A JSON value of this schema.
    case json(Schema)
    /// Server-sent events (WHATWG HTML, section 9.2), each with data of a component's schema.
    case events([EventName])
    /// A file of one of these media types.
    case file([String])
    /// No body: the client already has the current version (RFC 9110, section 15.4.5).
    case unchanged
  }

  /// A parameter of the query or a header of the request.
  public struct Parameter: Sendable, Hashable {
    /// Where a request carries the parameter.
    public enum Place: String, Sendable, Hashable { case query, header }
    /// The name in the query, or of the header.
    public let name: String
    /// Whether it stands in the query or is a header.
    public let place: Place
    /// Whether a request without it is refused.
    public private(set) var isRequired = false
    /// The valid values.
    public let schema: Schema
    /// The effect of the parameter, in one sentence.
    public let help: String
  }

  /// The HTTP method; a GET route answers HEAD as well.
  public let method: Method
  /// The path below `base`, with captures in braces: `/devices/{id}`.
  public let path: String
  /// Who may use the route.
  public let access: Access
  /// The effect of the route, in one sentence.
  public let help: String
  /// The body of the request.
  public let body: Body
  /// The parameters of the query, and headers; captures of the path are not among them.
  public let parameters: [Parameter]
  /// The successful answers by status.
  public let answers: [Int: Answer]
  /// The error statuses of this route beyond those that follow from its access, path and body.
  private let furtherErrors: Set<Int>

  init(
    _ method: Method, _ path: String, _ access: Access, _ help: String, body: Body = .none,
    parameters: [Parameter] = [], answers: [Int: Answer], errors: Set<Int> = []
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.help = help
    self.body = body
    self.parameters = parameters
    self.answers = answers
    furtherErrors = errors
  }

  /// Whether the answer is a stream of events.
  public var isStream: Bool {
    answers.values.contains { if case .events = $0 { true } else { false } }
  }

  /// The whole path: `/api/v1/devices/{id}`.
  public var fullPath: String { Self.base + path }

  /// The names of the path's captures, in order.
  public var captures: [String] {
    path.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
  }

  /// Every status with which the route may refuse, in order. The body is an `ErrorAnswer`.
  public var errors: [Int] {
    // A malformed request, a page of another site, another host's name, a head that is too large, a
    // fault of the controller.
    var errors: Set<Int> = [400, 403, 421, 431, 500]
    // No session or access token, and too many wrong access tokens.
    if access != .everyone { errors.formUnion([401, 429]) }
    if !captures.isEmpty { errors.insert(404) }
    if body != .none { errors.formUnion([413, 415, 422]) }
    return errors.union(furtherErrors).sorted()
  }
}

/// A group of operations. The name of a case is the `operationId` of its route in the document.
///
/// `WebServer` answers each group in one exhaustive `switch`: a case without an implementation does
/// not compile.
public protocol Endpoint: Sendable, Hashable, CaseIterable, RawRepresentable<String> {
  /// The heading of the group in the document and on the reference page.
  static var title: String { get }
  /// The declaration of the operation.
  var route: Route { get }
}

extension Endpoint {
  /// Returns the path for a request, with `arguments` percent-encoded in place of the captures, in
  /// order.
  ///
  /// - Precondition: There are as many arguments as captures.
  public func path(_ arguments: String...) -> String { path(arguments) }

  /// Returns the path for a request, as with single arguments.
  public func path(_ arguments: [String]) -> String {
    let route = route
    precondition(
      arguments.count == route.captures.count,
      "\(route.path) takes \(route.captures.count) arguments, not \(arguments.count)")
    var rest = arguments[...]
    return route.fullPath.split(separator: "/").reduce("") { path, part in
      let isCapture = part.first == "{"
      return path + "/"
        + (isCapture ? PercentEncoding.encode(rest.popFirst() ?? "") : String(part))
    }
  }
}

/// The whole contract.
public enum APIContract {
  /// Every group of operations, in the order of the documentation.
  public static let groups: [any Endpoint.Type] = [
    SessionEndpoint.self, AccountEndpoint.self, PeopleEndpoint.self, PlaybackEndpoint.self,
    RoomEndpoint.self, DeviceEndpoint.self, SystemEndpoint.self,
  ]

  /// Every operation: the name of its group, its `operationId`, its declaration.
  public static let operations: [(group: String, id: String, route: Route)] = groups.flatMap {
    operations(of: $0)
  }

  private static func operations<Group: Endpoint>(of group: Group.Type)
    -> [(group: String, id: String, route: Route)]
  {
    group.allCases.map { (group.title, $0.rawValue, $0.route) }
  }
}

extension APIContract {
  /// The operations that an access token may be limited to, by their names, sorted.
  public static let tokenCommands: [String] = Set(
    operations.compactMap {
      guard case .permitted(_, .command(let name)) = $0.route.access else { return nil }
      return name
    }
  ).sorted()

  /// The route tables of `docs/http-api.md`, one for each group, in Markdown.
  public static var referenceTables: String {
    groups.map { group in
      let rows = operations.filter { $0.group == group.title }.map(\.route.row)
      return
        "### \(group.title)\n\n| Method | Path | Permission | Token | What it does |\n|---|---|---|---|---|\n"
        + rows.joined(separator: "\n")
    }.joined(separator: "\n\n") + "\n"
  }
}

extension Route {
  fileprivate var row: String {
    let (permission, token) =
      switch access {
      case .everyone: ("none", "")
      case .permitted(let permission, let tokens):
        (permission.rawValue, tokens.word.map { "`\($0)`" } ?? "–")
      }
    return "| \(method.rawValue) | `\(path)` | \(permission) | \(token) | \(help)\(members) |"
  }

  /// A sentence with the names of the body's members, after a space; empty for a body without
  /// members.
  private var members: String {
    guard case .json(let schema) = body, !schema.memberNames.isEmpty else { return "" }
    return " Body: " + schema.memberNames.map { "`\($0)`" }.joined(separator: ", ") + "."
  }
}

extension Route.TokenAccess {
  /// The word that a token must have; `nil` if no token will do.
  package var word: String? {
    switch self {
    case .never: nil
    case .everything: "all"
    case .view: "view"
    case .command(let name): name
    case .scene: "scene:NAME"
    case .activity: "activity:NAME"
    case .device: "device:DEVICE/COMMAND"
    }
  }
}
