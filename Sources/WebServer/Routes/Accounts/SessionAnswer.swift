import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import JSON

// Every way to log in answers in one way.

extension RequestContext {
  /// The cookies for the session that is to be opened, where `"cookie": true` asks for them.
  func wantedCookies(_ fields: BodyFields) throws(APIError) -> BrowserCookies? {
    guard try fields.flag("cookie") else { return nil }
    guard let cookies else {
      throw .invalid("only browsers get cookies, and none comes here")
    }
    return cookies
  }
}

extension Response {
  /// A session with a new token, which stands where programs find it, or where only the browser
  /// does.
  init(
    _ loggedIn: LoggedIn, status: HTTPResponse.Status = .created, cookies: BrowserCookies?
  ) {
    var json = loggedIn.principal.json.object ?? [:]
    guard let cookies else {
      json["token"] = .string(loggedIn.token.text)
      if let device = loggedIn.device { json["device"] = .string(device.text) }
      self.init(.object(json), status: status)
      return
    }
    self.init(.object(json), status: status)
    headers[values: .setCookie] = [cookies.session.setting(loggedIn.token.text)]
    if let device = loggedIn.device ?? DeviceToken.presented {
      headers[values: .setCookie].append(cookies.device.setting(device.text))
    }
  }
}
