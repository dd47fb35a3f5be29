import JSON
import Synchronization

/// The access of one configured medium to the network, through the ``MediaProxy``.
package final class NetworkAccess: Sendable {
  /// The most redirects of one request that libav follows.
  package static let mostRedirects = 8

  /// The reason why the network did not give what a player asked for.
  package struct Problem: Error, Equatable, Sendable {
    /// The description of the problem.
    package let detail: String
    /// The next step for the user; empty if there is none.
    package let hint: String

    package init(_ detail: String, hint: String = "") {
      self.detail = detail
      self.hint = hint
    }
  }

  /// The address of the proxy with the credentials of this access, for libav's and mpv's option `http_proxy`.
  package let proxy: String
  /// The value of the header `Proxy-Authorization`.
  let authorization: String
  /// The address of the proxy for a program that follows lists of segments (HLS) itself: it gets each list with
  /// references that were checked (``SegmentList``), and no tunnels.
  package let listProxy: String
  /// The value of the header `Proxy-Authorization` for ``listProxy``.
  let listAuthorization: String
  let rule: ConnectionRule
  private let credentials = Mutex<String?>(nil)
  private let problem = Mutex<Problem?>(nil)

  init(rule: ConnectionRule, proxyPort: UInt16) {
    var random = SystemRandomNumberGenerator()
    let secret = (0..<4).map { _ in String(random.next(), radix: 36) }.joined()
    self.rule = rule
    proxy = "http://theater:\(secret)@127.0.0.1:\(proxyPort)"
    authorization = "Basic " + Base64.text(Array("theater:\(secret)".utf8))
    listProxy = "http://lists:\(secret)@127.0.0.1:\(proxyPort)"
    listAuthorization = "Basic " + Base64.text(Array("lists:\(secret)".utf8))
  }

  /// Stores the credentials for the configured server.
  func setCredentials(_ text: String?) { credentials.withLock { $0 = text } }

  /// Returns an address with the credentials for it, if it is one of the configured server.
  func authorized(_ address: MediaAddress) -> MediaAddress {
    guard address.host == rule.configured.host, address.port == rule.configured.port,
      let text = credentials.withLock(\.self)
    else { return address }
    return address.with(credentials: text)
  }

  /// Stores the newest problem.
  func record(_ problem: Problem) { self.problem.withLock { $0 = problem } }

  /// Returns the newest problem since the last call, and forgets it.
  @discardableResult
  package func takeProblem() -> Problem? {
    problem.withLock { problem in
      defer { problem = nil }
      return problem
    }
  }
}
