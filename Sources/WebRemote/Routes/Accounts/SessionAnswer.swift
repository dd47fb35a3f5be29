import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import JSON

// Every way to log in answers in one way.

extension Call {
  /// The cookie for the session that is to be opened, where `"cookie": true` asks for one.
  func wantedCookie(_ fields: BodyFields) throws(APIError) -> SessionCookie? {
    guard try fields.flag("cookie") else { return nil }
    guard let cookie else {
      throw .invalid("only browsers get cookies, and none comes here")
    }
    return cookie
  }
}

extension Response {
  /// A session with a new token, which stands where programs find it, or where only the browser
  /// does.
  init(
    _ loggedIn: LoggedIn, status: HTTPResponse.Status = .created, cookie: SessionCookie?
  ) {
    var json = loggedIn.principal.json.object ?? [:]
    if cookie == nil { json["token"] = .string(loggedIn.token.text) }
    if let device = loggedIn.device { json["device"] = .string(device.text) }
    self.init(.object(json), status: status)
    if let cookie { headers[.setCookie] = cookie.setting(loggedIn.token.text) }
  }
}
