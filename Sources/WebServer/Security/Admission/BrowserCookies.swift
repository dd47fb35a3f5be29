import Accounts
import HTTPTypes

/// What a browser keeps for the theater: its session, and what makes it a known device.
package struct BrowserCookies: Sendable, Hashable {
  /// It goes with the session: the browser keeps it for as long as any may last, and when this one
  /// ends is the gate's affair.
  let session: BrowserCookie
  /// It stays when somebody logs out, as the device is known on. A known device has no end of its
  /// own; a browser keeps no cookie for more than 400 days (RFC 6265bis, section 5.5), so each login
  /// sets it anew.
  let device: BrowserCookie

  package init(isEncrypted: Bool) {
    session = BrowserCookie(
      "theater", seconds: Int(SessionLifetime.standard.absolute), isEncrypted: isEncrypted)
    device = BrowserCookie("theater-device", seconds: 400 * 86_400, isEncrypted: isEncrypted)
  }
}

/// A secret as a browser keeps it: out of reach of scripts, sent to this very host alone, and never
/// along with what another site's page asks.
package struct BrowserCookie: Sendable, Hashable {
  /// `__Host-` (RFC 6265bis, section 4.1.3) keeps other hosts of a domain, and pages without TLS,
  /// from planting one; it is only possible with TLS.
  let name: String
  private let seconds: Int
  private let isEncrypted: Bool

  fileprivate init(_ name: String, seconds: Int, isEncrypted: Bool) {
    self.name = isEncrypted ? "__Host-\(name)" : name
    self.seconds = seconds
    self.isEncrypted = isEncrypted
  }

  /// The secret that a request brings. Of two nobody knows who planted which: then it is none.
  func value(in fields: HTTPFields) -> String? {
    let values = fields[values: .cookie].joined(separator: ";").split(separator: ";")
      .map { $0.drop { $0 == " " || $0 == "\t" } }
      .filter { $0.hasPrefix(name + "=") }
    guard values.count == 1, let value = values.first else { return nil }
    let secret = value.dropFirst(name.utf8.count + 1)
    return secret.isEmpty ? nil : String(secret)
  }

  /// `Set-Cookie` with a new secret.
  func setting(_ secret: String) -> String { text(secret, seconds: seconds) }

  /// `Set-Cookie` that takes it away.
  var removing: String { text("", seconds: 0) }

  private func text(_ secret: String, seconds: Int) -> String {
    "\(name)=\(secret); Max-Age=\(seconds); Path=/; HttpOnly; SameSite=Strict"
      + (isEncrypted ? "; Secure" : "")
  }
}
