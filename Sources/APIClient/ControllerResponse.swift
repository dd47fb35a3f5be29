import JSON
import NIOHTTP1

/// A controller's response to a request.
package struct ControllerResponse: Sendable {
  /// The HTTP status code.
  package let status: Int
  package let headers: HTTPHeaders
  /// The whole body; at most the limit of its `HTTPConnections`.
  package let body: [UInt8]

  package init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether the status is 200 to 299: the request is done or accepted.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The parsed body; `null` for an empty body and for anything but JSON.
  package var json: JSON { (try? JSON(parsing: body)) ?? .null }

  /// The first value of a header field; the name in any case.
  package func header(_ name: String) -> String? { headers.first(name: name) }
}
