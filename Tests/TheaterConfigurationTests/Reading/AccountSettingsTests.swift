import JSON
import Testing

@testable import TheaterConfiguration

@Suite("Accounts in the configuration")
struct AccountSettingsTests {
  private static let secrets = PocketSecrets(texts: ["smtp": "xyzzy-plugh", "sms": "Bearer xyzzy"])

  /// The example configuration with this section.
  private static func text(_ accounts: String) -> String {
    Fixtures.whole(
      #""pluginFolders": ["more-plugins"],"#,
      #""pluginFolders": ["more-plugins"], "accounts": \#(accounts),"#)
  }

  private static func delivery(_ sections: String) -> String {
    text(#"{"delivery": {\#(sections)}}"#)
  }

  private static let mail = """
    "email": {"server": "smtp.example.org", "user": "a@b.co", "password": {"secret": "smtp"},
      "from": "a@b.co", "trust": "own.pem"}
    """
  private static let gateway = """
    "sms": {"url": "https://sms.example.org/send?to={phone}", "headers": {"Authorization":
      {"secret": "sms"}, "X": "y"}, "body": "{\\"text\\": \\"{text}\\"}"}
    """

  @Test("D9 · reads mail server and gateway with their defaults, and hides their secrets")
  func whole() throws {
    let configuration = try Fixtures.read(
      Self.delivery("\(Self.mail), \(Self.gateway)"), secrets: Self.secrets)
    let delivery = configuration.accounts.delivery.revealed()
    #expect(delivery["email"]?["port"] == 587)
    #expect(delivery["email"]?["security"] == "starttls")
    #expect(delivery["email"]?["password"] == "xyzzy-plugh")
    #expect(delivery["email"]?["trust"] == "/etc/theater/own.pem")
    #expect(delivery["sms"]?["method"] == "POST")
    #expect(delivery["sms"]?["headers"]?["Authorization"] == "Bearer xyzzy")
    var shown = "\(configuration)"
    dump(configuration, to: &shown)
    #expect(!shown.contains("xyzzy"))
  }

  @Test("D9 · messages may go to the log only in a theater for demonstration")
  func log() throws {
    let section = #""delivery": {"email": "log", "sms": "log"}"#
    let demo = try Fixtures.read(Self.text(#"{"demo": true, \#(section)}"#))
    #expect(demo.accounts.isDemo)
    #expect(demo.accounts.delivery.revealed()["email"] == "log")
    let problems = Fixtures.problems(Self.text("{\(section)}"))
    #expect(
      problems.map(\.path.description) == ["$.accounts.delivery.email", "$.accounts.delivery.sms"])
    #expect(problems.allSatisfy { $0.hint?.contains("\"demo\": true") == true })
    #expect(try !Fixtures.read(Fixtures.whole).accounts.isDemo)
  }

  @Test(
    "D9 · a mistake in delivery is named with its place",
    arguments: [
      (#""server": "smtp.example.org""#, #""server": "smtp example""#, "email.server", "expected"),
      (#""server": "smtp.example.org","#, "", "email", "\"server\" is missing"),
      (#""from": "a@b.co""#, #""from": "a@b.co\r\nBcc: x@y.zz""#, "email.from", "expected"),
      (#""from": "a@b.co""#, #""from": "a..b@b.co""#, "email.from", "not an e-mail address"),
      (#""user": "a@b.co","#, "", "email", "belong together"),
      (#"{"secret": "smtp"}"#, #""in the open""#, "email.password", "must not contain a password"),
      (#"{"secret": "smtp"}"#, #"{"secret": "none"}"#, "email.password", "missing"),
      (#""user""#, #""security": "none", "user""#, "email.security", "without encryption"),
      (#""user""#, #""security": "ssl", "user""#, "email.security", "found \"ssl\""),
      (#"https://sms"#, "ftp://sms", "sms.url", "expected"),
      (#"https://sms"#, "http://sms", "sms.url", "without encryption"),
      (#"https://sms.exam"#, "http://localhost.exam", "sms.url", "without encryption"),
      (#"https://sms.example.org"#, "http://[2001:db8::1]:80", "sms.url", "without encryption"),
      (#"{\"text\": \"{text}\"}"#, "hello {text}", "sms.body", "expected JSON"),
      (#"{\"text\": \"{text}\"}"#, #"{\"text\": {text}}"#, "sms.body", "expected JSON"),
      (
        #""X": "y"}, "body": "{"#,
        #""content-type": "Application/JSON; charset=utf-8"}, "body": "["#,
        "sms.body", "expected JSON"
      ),
      (#"?to={phone}"#, "", "sms", "{phone} stands neither"),
      (#""X": "y""#, #""X Y": "y""#, "sms.headers", "a header"),
      (#""X": "y""#, #""Content-Type": "image/png""#, "sms.headers.Content-Type", "be written"),
    ])
  func mistakes(_ old: String, _ new: String, _ path: String, _ says: String) {
    let good = Self.delivery("\(Self.mail), \(Self.gateway)")
    let problems = Fixtures.problems(good.replacing(old, with: new), secrets: Self.secrets)
    #expect(!problems.isEmpty)
    #expect(problems.contains { "\($0.path)".hasPrefix("$.accounts.delivery.\(path)") })
    #expect(problems.contains { $0.message.contains(says) }, "\(problems)")
  }

  @Test(
    "D9 · accepts plain HTTP for a gateway on this machine, and a body that fits its Content-Type",
    arguments: [
      ("https://sms.example.org", "http://localhost:8080"),
      ("https://sms.example.org", "http://127.0.0.1"),
      ("https://sms.example.org", "http://[::1]:80"),
      (
        #""X": "y"}, "body": "{\"text\": \"{text}\"}""#,
        #""Content-Type": "text/plain"}, "body": "hello {text}""#
      ),
      (
        #""X": "y"}, "body": "{\"text\": \"{text}\"}""#,
        #""Content-Type": "application/json"}, "body": "[\"{text}\", 1]""#
      ),
    ])
  func plainAndTyped(_ old: String, _ new: String) {
    let good = Self.delivery("\(Self.mail), \(Self.gateway)")
    #expect(good.contains(old))
    let problems = Fixtures.problems(good.replacing(old, with: new), secrets: Self.secrets)
    #expect(problems.isEmpty, "\(problems)")
  }
}
