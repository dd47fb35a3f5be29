import JSON
import Validation

/// The section `accounts` of `devices.json`: delivery of messages, and rules.
package struct AccountSettings: Sendable, Hashable {
  /// Whether this is a demonstration, which may use weak rules and the log as delivery.
  package var isDemo: Bool
  /// `email` and `sms`: checked, with defaults, absolute paths and sealed secrets.
  package var delivery: DeviceOptions
  /// The rules for names, addresses and new passwords.
  package var rules: RuleSet

  /// Creates settings. The defaults are those of a file without the section `accounts`.
  package init(
    isDemo: Bool = false, delivery: DeviceOptions = DeviceOptions(), rules: RuleSet = .standard
  ) {
    self.isDemo = isDemo
    self.rules = rules
    self.delivery = delivery
  }
}

extension ConfigurationReader {
  /// Reads the section `accounts`; values with an error get their defaults.
  ///
  /// - Parameter fileProblem: Returns why the file at an absolute path cannot be read; `nil` if it can.
  mutating func readAccounts(_ fileProblem: (String) -> String?) -> AccountSettings {
    let accounts = member("accounts")
    let path: JSONPath = [.key("accounts"), .key("delivery")]
    var settings = AccountSettings(isDemo: accounts["demo"]?.bool ?? false)
    settings.rules = readRuleSet(isDemo: settings.isDemo)
    guard let delivery = accounts["delivery"], !hasError(at: path) else { return settings }
    for channel in ["email", "sms"] where delivery[channel]?.string == "log" && !settings.isDemo {
      report(
        .reference, at: path.appending(channel),
        "with \"log\" everyone who reads the log could log in",
        hint: "Name a server; for a demonstration write \"demo\": true into \"accounts\".")
    }
    checkMail(delivery["email"] ?? .null, at: path.appending("email"), fileProblem)
    checkGateway(delivery["sms"] ?? .null, at: path.appending("sms"))
    let shape = ConfigurationSchemaNodes.delivery
    if !hasError(at: path),
      let options = resolveSecrets(
        in: shape.completed(delivery, from: origin), shape: shape, at: path)
    {
      settings.delivery = options
    }
    return settings
  }

  private mutating func checkMail(
    _ server: JSON, at path: JSONPath, _ fileProblem: (String) -> String?
  ) {
    guard let host = server["server"]?.string else { return }
    if let trust = server["trust"]?.string, let problem = fileProblem(origin.absolute(trust)) {
      report(
        .reference, at: path.appending("trust"), "expected a PEM file, but \(problem)",
        hint: "Put it there, or leave \"trust\" out: then the system's authorities count.")
    }
    if let from = server["from"]?.string, !EmailSyntax.isValid(from) {
      report(
        .reference, at: path.appending("from"), "this is not an e-mail address",
        hint: "Write the one that mail comes from, like theater@example.org.")
    }
    if (server["user"] == nil) != (server["password"] == nil) {
      report(
        .reference, at: path, "\"user\" and \"password\" belong together",
        hint: "Give both, or neither for a server that asks for none.")
    }
    if server["password"]?.string != nil {
      report(
        .reference, at: path.appending("password"), "this file must not contain a password",
        hint: "Write {\"secret\": \"smtp\"}, and the password into the secret's file.")
    }
    if server["security"]?.string == "none", !Self.isThisMachine(host) {
      report(
        .reference, at: path.appending("security"),
        "without encryption others on the network can read the codes",
        hint: "Take \"starttls\" or \"tls\"; \"none\" is for a server on this machine.")
    }
  }

  private mutating func checkGateway(_ gateway: JSON, at path: JSONPath) {
    guard let url = gateway["url"]?.string else { return }
    if url.hasPrefix("http:"), !Self.isThisMachine(Self.host(of: url)) {
      report(
        .reference, at: path.appending("url"),
        "without encryption others on the network can read the codes",
        hint: "Take https; http is for a gateway on this machine.")
    }
    let body = gateway["body"]?.string ?? ""
    for word in ["{phone}", "{text}"] where !url.contains(word) && !body.contains(word) {
      report(
        .reference, at: path, "\(word) stands neither in \"body\" nor in \"url\"",
        hint: "Write it where the gateway wants the \(word == "{text}" ? "message" : "number").")
    }
    var type = "application/json"
    let known = [
      "application/json", "application/x-www-form-urlencoded", "application/xml", "text/xml",
      "text/plain",
    ]
    for (name, value) in gateway["headers"]?.object ?? [:]
    where name.lowercased() == "content-type" {
      type = value.string?.split(separator: ";").first.map { $0.lowercased() } ?? ""
      type.removeAll { $0 == " " }
      guard known.contains(type) else {
        report(
          .reference, at: path.appending("headers").appending(name),
          "a number and a message cannot be written into a body of this type",
          hint: "Possible: \(known.joined(separator: ", ")).")
        continue
      }
    }
    // The placeholders stand inside JSON strings, so the body with placeholders must be valid JSON, too.
    guard type == "application/json", !body.isEmpty else { return }
    do {
      _ = try JSON(parsing: body.utf8)
    } catch {
      report(
        .reference, at: path.appending("body"),
        "expected JSON, which is the Content-Type unless \"headers\" has another: \(error.description)",
        hint: "Write it like {\"to\": \"{phone}\", \"message\": \"{text}\"}, or name another "
          + "Content-Type in \"headers\".")
    }
  }

  /// Whether `host` is this machine.
  private static func isThisMachine(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "::1"].contains(host.lowercased())
  }

  /// The host of a URL: `sms.example.org` of `http://sms.example.org:8080/send?to={phone}`, `::1`
  /// of `http://[::1]/`.
  private static func host(of url: String) -> String {
    let authority = url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
    if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
    return String(authority.prefix { $0 != ":" })
  }
}
