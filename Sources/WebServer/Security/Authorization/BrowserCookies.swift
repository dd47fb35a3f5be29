import Accounts
import HTTPTypes

/// The two cookies of a browser: the session token and the device token.
package struct BrowserCookies: Sendable, Hashable {
  /// Kept as long as any session may last; `AccountService` decides when this one ends.
  let session: BrowserCookie
  /// Stays after a logout. Browsers keep a cookie for at most 400 days (RFC 6265bis, section 5.5),
  /// so each login sets it again.
  let device: BrowserCookie

  /// - Parameter isEncrypted: Whether browsers must return the cookies over TLS only.
  package init(isEncrypted: Bool) {
    session = BrowserCookie(
      "theater", seconds: Int(SessionLifetime.standard.absolute), isEncrypted: isEncrypted)
    device = BrowserCookie("theater-device", seconds: Self.longest, isEncrypted: isEncrypted)
  }

  /// The longest time that browsers keep a cookie, in seconds.
  private static let longest = 400 * 86_400

  /// `Set-Cookie` with the token of a session. A wall tablet's session may last longer than any
  /// other, so its cookie stays as long as browsers allow.
  func setCookieValue(_ token: String, of principal: SessionPrincipal) -> String {
    session.setCookieValue(token, seconds: principal.isWallTablet ? Self.longest : nil)
  }
}

/// A cookie that scripts cannot read (`HttpOnly`) and that is sent to this host only, never with
/// cross-site requests (`SameSite=Strict`).
package struct BrowserCookie: Sendable, Hashable {
  /// With TLS it begins with `__Host-` (RFC 6265bis, section 4.1.3), so that neither another host
  /// of the domain nor a page without TLS can plant it.
  let name: String
  private let seconds: Int
  private let isEncrypted: Bool

  fileprivate init(_ name: String, seconds: Int, isEncrypted: Bool) {
    self.name = isEncrypted ? "__Host-\(name)" : name
    self.seconds = seconds
    self.isEncrypted = isEncrypted
  }

  /// The secret in a request. Two cookies of the same name are rejected: either could be planted.
  func value(in fields: HTTPFields) -> String? {
    let values = fields[values: .cookie].joined(separator: ";").split(separator: ";")
      .map { $0.drop { $0 == " " || $0 == "\t" } }
      .filter { $0.hasPrefix(name + "=") }
    guard values.count == 1, let value = values.first else { return nil }
    let secret = value.dropFirst(name.utf8.count + 1)
    return secret.isEmpty ? nil : String(secret)
  }

  /// `Set-Cookie` with a new secret.
  func setCookieValue(_ secret: String, seconds: Int? = nil) -> String {
    text(secret, seconds: seconds ?? self.seconds)
  }

  /// `Set-Cookie` that deletes the cookie.
  var deletionValue: String { text("", seconds: 0) }

  private func text(_ secret: String, seconds: Int) -> String {
    "\(name)=\(secret); Max-Age=\(seconds); Path=/; HttpOnly; SameSite=Strict"
      + (isEncrypted ? "; Secure" : "")
  }
}
