import Accounts
import HTTPTypes

/// A session as a browser keeps it: out of reach of scripts, sent to this very host alone, and never
/// along with what another site's page asks.
package struct SessionCookie: Sendable, Hashable {
  /// `__Host-` (RFC 6265bis, section 4.1.3) keeps other hosts of a domain, and pages without TLS,
  /// from planting one; it is only possible with TLS.
  let name: String
  private let isEncrypted: Bool

  package init(isEncrypted: Bool) {
    name = isEncrypted ? "__Host-theater" : "theater"
    self.isEncrypted = isEncrypted
  }

  /// The token that a request brings. Of two nobody knows who planted which: then it is none.
  func token(in fields: HTTPFields) -> String? {
    let values = fields[values: .cookie].joined(separator: ";").split(separator: ";")
      .map { $0.drop { $0 == " " || $0 == "\t" } }
      .filter { $0.hasPrefix(name + "=") }
    guard values.count == 1, let value = values.first else { return nil }
    let token = value.dropFirst(name.utf8.count + 1)
    return token.isEmpty ? nil : String(token)
  }

  /// `Set-Cookie` for a new session. The browser keeps it for as long as any session may last; when
  /// this one ends is the gate's affair.
  func setting(_ token: String) -> String {
    text(token, seconds: Int(SessionLifetime.standard.absolute))
  }

  /// `Set-Cookie` that takes it away.
  var removing: String { text("", seconds: 0) }

  private func text(_ token: String, seconds: Int) -> String {
    "\(name)=\(token); Max-Age=\(seconds); Path=/; HttpOnly; SameSite=Strict"
      + (isEncrypted ? "; Secure" : "")
  }
}
