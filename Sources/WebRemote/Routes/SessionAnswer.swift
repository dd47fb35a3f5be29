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
  /// A new session, with its token where programs find it, or where only the browser does.
  init(_ loggedIn: LoggedIn, cookie: SessionCookie?) {
    var json = loggedIn.principal.members
    if cookie == nil { json["token"] = .string(loggedIn.token.text) }
    self.init(.object(json), status: .created)
    if let cookie { headers[.setCookie] = cookie.setting(loggedIn.token.text) }
  }
}

extension Principal {
  /// Who somebody is, without the token.
  var json: JSON { .object(members) }

  fileprivate var members: JSONObject {
    [
      "user": [
        "name": .string(name), "email": email.map { .string($0) } ?? .null,
        "role": .string(role.rawValue),
      ],
      "expires": .string(expires.ISO8601Format()),
    ]
  }
}
