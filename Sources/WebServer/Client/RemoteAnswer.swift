import JSON
import NIOHTTP1

/// What a controller answered.
package struct RemoteAnswer: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  package let body: [UInt8]

  package init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether it did what was asked, or will.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The body's JSON; `null` where there is none.
  package var json: JSON { (try? JSON(parsing: body)) ?? .null }

  /// A header's value.
  package func header(_ name: String) -> String? { headers.first(name: name) }
}
