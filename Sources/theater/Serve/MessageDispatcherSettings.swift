import Accounts
import Delivery
import JSON
import TheaterConfiguration

extension MessageDispatcher {
  /// Makes the dispatcher that the validated configuration describes.
  ///
  /// - Parameter log: Receives failures, and messages that are logged instead of sent.
  /// - Throws: `AccountError` if a value from a secret is invalid.
  convenience init(
    _ settings: AccountSettings, log: @escaping @Sendable (String) -> Void
  ) throws(AccountError) {
    let delivery = settings.delivery.revealed()
    self.init(
      email: try Self.mail(delivery["email"], log), phone: try Self.gateway(delivery["sms"], log),
      log: log)
  }

  private static func mail(
    _ settings: JSON?, _ log: @escaping @Sendable (String) -> Void
  ) throws(AccountError) -> (any MessageSender)? {
    guard let settings else { return nil }
    guard let host = settings["server"]?.string else { return LogSender(log: log) }
    var login: MailServer.Login?
    if let user = settings["user"]?.string, let password = settings["password"]?.string {
      login = MailServer.Login(user: user, password: password)
    }
    return MailServer(
      host: host, port: settings["port"]?.integer ?? 587,
      security: settings["security"]?.string.flatMap(MailServer.Security.init) ?? .startTLS,
      login: login, from: try EmailAddress(settings["from"]?.string ?? ""),
      trust: settings["trust"]?.string)
  }

  private static func gateway(
    _ settings: JSON?, _ log: @escaping @Sendable (String) -> Void
  ) throws(AccountError) -> (any MessageSender)? {
    guard let settings else { return nil }
    guard let url = settings["url"]?.string else { return LogSender(log: log) }
    var headers: [TextMessageGateway.Header] = []
    var type: String?
    for (name, value) in settings["headers"]?.object ?? [:] {
      guard let header = TextMessageGateway.Header(name, value.string ?? "") else {
        throw .deliveryFailed(
          "the header \(name) of \"sms\" holds a control character", hint: "Correct its secret.")
      }
      headers.append(header)
      if name.lowercased() == "content-type" { type = value.string }
    }
    var body: MessageTemplate?
    if let text = settings["body"]?.string {
      if type == nil, let json = TextMessageGateway.Header("Content-Type", "application/json") {
        headers.append(json)
      }
      body = MessageTemplate(
        text, escaping: MessageTemplate.Escaping(contentType: type ?? "application/json") ?? .json)
    }
    return TextMessageGateway(
      url: url, host: host(of: url), method: settings["method"]?.string ?? "POST",
      headers: headers, body: body)
  }

  /// The host and port of a URL: its path may hold a secret, so messages show no more.
  private static func host(of url: String) -> String {
    let rest = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
    return String(rest.prefix { $0 != "/" && $0 != "?" })
  }
}
