import Accounts
import Foundation
import JSON
import Testing

@testable import Delivery

/// A port without a listener.
private let closedPort = 1

@Suite struct MailServerTests {
  private let message: AccountMessage

  init() throws {
    message = AccountMessage(
      destination: .email(try EmailAddress("o'hara+film@example.org")),
      subject: "Your code for the home theater",
      text: "123456 is your code. Größe = 10 %.")
  }

  private func server(
    _ port: Int, _ security: MailServer.Security = .none, host: String = "localhost",
    password: String? = nil, trust: String? = nil, whole: Duration = .seconds(20)
  ) throws -> MailServer {
    MailServer(
      host: host, port: port, security: security,
      login: password.map { MailServer.Login(user: "theater@example.org", password: $0) },
      from: try EmailAddress("theater@example.org"), trust: trust, whole: whole)
  }

  private func failure(_ server: MailServer, _ message: AccountMessage? = nil) -> AccountError? {
    do throws(AccountError) {
      try server.send(message ?? self.message)
      return nil
    } catch {
      return error
    }
  }

  @Test("D9 · a message arrives whole, with its headers, and says that a machine sent it")
  func plain() async throws {
    let peer = try await Peer("mail_server", [])
    try server(peer.port).send(message)
    let mail = try await peer.next()
    #expect(mail["from"]?.string == "theater@example.org")
    #expect(mail["to"] == ["o'hara+film@example.org"])
    #expect(mail["text"]?.string == message.text)
    #expect(mail["type"]?.string == "text/plain")
    #expect(mail["charset"]?.string == "utf-8")
    let headers = Dictionary(
      (mail["headers"]?.array ?? []).compactMap { pair in
        pair.array.flatMap { values in
          values.first?.string.map { ($0.lowercased(), values.last?.string ?? "") }
        }
      }, uniquingKeysWith: { first, _ in first })
    #expect(headers["from"] == "theater@example.org")
    #expect(headers["to"] == "o'hara+film@example.org")
    #expect(headers["subject"] == message.subject)
    #expect(headers["auto-submitted"] == "auto-generated")
    #expect(headers["mime-version"] == "1.0")
    #expect(headers["message-id"]?.hasSuffix("@example.org>") == true)
    #expect(
      headers["date"]?.wholeMatch(
        of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]0000/) != nil)
  }

  @Test("D9 · a subject cannot bring further headers or recipients")
  func injection() async throws {
    let peer = try await Peer("mail_server", [])
    let hostile = AccountMessage(
      destination: message.destination,
      subject: "x\r\nBcc: mallory@example.org\r\n\r\nbody\0", text: "\r\n.\r\nQUIT\r\n")
    try server(peer.port).send(hostile)
    let mail = try await peer.next()
    #expect(mail["to"] == ["o'hara+film@example.org"])
    let names = (mail["headers"]?.array ?? []).compactMap { $0.array?.first?.string?.lowercased() }
    #expect(!names.contains("bcc"))
    // The point alone on its line did not end the message.
    #expect(mail["text"]?.string?.contains("QUIT") == true)
  }

  @Test("D9 · uses STARTTLS and a login, and trusts a configured authority")
  func startTLS() async throws {
    let certificates = try Certificates()
    let peer = try await Peer(
      "mail_server",
      [
        "--security", "starttls", "--certificate", certificates.server, "--login",
        "theater@example.org:pass:word with spaces",
      ])
    try server(
      peer.port, .startTLS, password: "pass:word with spaces", trust: certificates.authority
    ).send(message)
    let mail = try await peer.next()
    #expect(mail["tls"] == true)
    #expect(mail["user"]?.string == "theater@example.org")
  }

  @Test("D9 · uses TLS from the first byte")
  func implicitTLS() async throws {
    let certificates = try Certificates()
    let peer = try await Peer(
      "mail_server", ["--security", "tls", "--certificate", certificates.server])
    try server(peer.port, .tls, trust: certificates.authority).send(message)
    #expect(try await peer.next()["text"]?.string == message.text)
  }

  @Test("D9 · refuses an untrusted certificate and one for another name")
  func badCertificate() async throws {
    let certificates = try Certificates()
    let peer = try await Peer(
      "mail_server", ["--security", "starttls", "--certificate", certificates.server])
    for server in [
      try server(peer.port, .startTLS),
      try server(peer.port, .startTLS, host: "127.0.0.1", trust: certificates.authority),
    ] {
      let error = try #require(failure(server))
      #expect(error.code == .deliveryFailed)
      #expect(error.message.contains("certificate"))
      #expect(error.hint.contains("\"trust\""))
    }
  }

  @Test("D9 · refuses a server without STARTTLS, which would get the password in plain text")
  func noTLS() async throws {
    let peer = try await Peer("mail_server", ["--login", "theater@example.org:secret"])
    let error = try #require(failure(try server(peer.port, .startTLS, password: "secret")))
    #expect(error.message.contains("does not offer STARTTLS"))
    // The server got neither login nor message before those of the next message.
    let next = AccountMessage(destination: message.destination, subject: "next", text: "next")
    try server(peer.port, password: "secret").send(next)
    let mail = try await peer.next()
    #expect(mail["text"]?.string == "next")
    #expect(mail["logins"] == 1)
  }

  @Test("D9 · reports a refused login as such, without the password")
  func wrongPassword() async throws {
    let peer = try await Peer("mail_server", ["--login", "theater@example.org:right"])
    let error = try #require(failure(try server(peer.port, password: "canary")))
    #expect(error.message.contains("refuses user and password"))
    #expect(!"\(error)".contains("canary"))
  }

  @Test(
    "D9 · a refused recipient, a lost connection, a timeout and an absent server differ by message")
  func failures() async throws {
    let refusing = try await Peer("mail_server", ["--behaviour", "refuse"])
    #expect(
      failure(try server(refusing.port))?.message.contains("refused the message (550)") == true)
    let dropping = try await Peer("mail_server", ["--behaviour", "drop"])
    let dropped = failure(try server(dropping.port))?.message
    #expect(dropped?.contains("closed the connection too early") == true)
    let hanging = try await Peer("mail_server", ["--behaviour", "hang"])
    let error = failure(try server(hanging.port, whole: .milliseconds(300)))
    #expect(error?.message.contains("did not answer in time") == true)
    let absent = failure(try server(closedPort, host: "127.0.0.1"))
    #expect(absent?.message.contains("nothing answers at 127.0.0.1:1") == true)
    let unknown = failure(try server(25, host: "mail.theater.invalid"))
    #expect(unknown?.message.contains("was not found") == true)
  }

  @Test("D9 · says that the configured file of trusted authorities cannot be read")
  func missingTrust() async throws {
    let certificates = try Certificates()
    let peer = try await Peer(
      "mail_server", ["--security", "tls", "--certificate", certificates.server])
    let error = try #require(failure(try server(peer.port, .tls, trust: "/nowhere.pem")))
    #expect(error.message.hasSuffix("the file of trusted authorities cannot be read."))
    #expect(error.hint.contains("\"trust\""))
  }

  @Test("D9 · the error of a refused message does not contain the code")
  func noCode() async throws {
    let refusing = try await Peer("mail_server", ["--behaviour", "refuse"])
    let error = try #require(failure(try server(refusing.port)))
    #expect(!"\(error.message)\(error.hint)".contains("123456"))
  }
}
