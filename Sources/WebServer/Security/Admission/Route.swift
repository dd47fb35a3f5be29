import Devices
import HTTPTypes
import Hummingbird

/// One line of the API: how it is asked for, who may, and what answers.
package struct Route: Sendable {
  /// Who may ask.
  package enum Access: Sendable, Hashable {
    /// Anybody: what leads to a session, and the sign of life.
    case everyone
    /// Whoever has a session whose role has this permission.
    case permitted(Permission)
  }

  /// What the request carries.
  package enum Body: Sendable, Hashable {
    case none
    /// A JSON value; an empty body counts as `{}`.
    case json
    /// A JSON text that is taken as it is, so that places in it can be named.
    case text
  }

  package let method: HTTPRequest.Method
  /// With captures in braces: `/api/v1/devices/{id}`.
  package let path: String
  package let access: Access
  package let body: Body
  /// What it does, in one line.
  package let help: String
  let answer: @Sendable (RequestContext) async throws -> Response

  /// The methods that it answers: a GET route HEAD as well (RFC 9110, section 9.3.2).
  var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

  /// A line that reads.
  static func get(
    _ path: String, by access: Access = .permitted(.view), _ help: String,
    answer: @escaping @Sendable (RequestContext) async throws -> Response
  ) -> Route {
    Route(method: .get, path: path, access: access, body: .none, help: help, answer: answer)
  }

  /// A line that does something.
  static func post(
    _ path: String, by access: Access = .permitted(.operate), body: Body = .json, _ help: String,
    answer: @escaping @Sendable (RequestContext) async throws -> Response
  ) -> Route {
    Route(method: .post, path: path, access: access, body: body, help: help, answer: answer)
  }

  /// A line that takes something away.
  static func delete(
    _ path: String, by access: Access, _ help: String,
    answer: @escaping @Sendable (RequestContext) async throws -> Response
  ) -> Route {
    Route(method: .delete, path: path, access: access, body: .none, help: help, answer: answer)
  }
}
