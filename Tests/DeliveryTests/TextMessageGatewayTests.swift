import Accounts
import Foundation
import JSON
import Testing

@testable import Delivery

@Suite struct TextMessageGatewayTests {
  private let message: AccountMessage
  private let text = "123456 is \"your\" code\\ & more <b> 100% = ü"

  init() throws {
    message = AccountMessage(
      destination: .phone(try PhoneNumber("+49 30 1234567")), subject: "unused", text: text)
  }

  private func gateway(
    _ port: Int, path: String = "/send", method: String = "POST", type: String? = nil,
    body: String? = nil, whole: Duration = .seconds(20)
  ) throws -> TextMessageGateway {
    var headers = [try #require(TextMessageGateway.Header("X-Key", "canary key"))]
    var template: MessageTemplate?
    if let type, let body {
      headers.append(try #require(TextMessageGateway.Header("Content-Type", type)))
      template = MessageTemplate(
        body, escaping: try #require(MessageTemplate.Escaping(contentType: type)))
    }
    return TextMessageGateway(
      url: "http://127.0.0.1:\(port)\(path)", host: "127.0.0.1", method: method, headers: headers,
      body: template, whole: whole)
  }

  private func failure(_ gateway: TextMessageGateway) -> AccountError? {
    do throws(AccountError) {
      try gateway.send(message)
      return nil
    } catch {
      return error
    }
  }

  @Test("D9 · a JSON body stays JSON whatever the message holds")
  func json() async throws {
    let peer = try await Peer("gateway", [])
    try gateway(
      peer.port, type: "application/json; charset=utf-8",
      body: #"{"to": ["{phone}"], "message": "{text}", "note": "{other}"}"#
    ).send(message)
    let request = try await peer.next()
    #expect(request["method"]?.string == "POST")
    #expect(request["path"]?.string == "/send")
    #expect(request["headers"]?["X-Key"]?.string == "canary key")
    let body = try JSON(parsing: Array((request["body"]?.string ?? "").utf8))
    #expect(body == ["to": ["+49301234567"], "message": .string(text), "note": "{other}"])
  }

  @Test("D9 · a form body and an address are percent-encoded")
  func form() async throws {
    let peer = try await Peer("gateway", [])
    try gateway(
      peer.port, path: "/send?to={phone}", type: "application/x-www-form-urlencoded",
      body: "text={text}&to={phone}"
    ).send(message)
    let request = try await peer.next()
    #expect(request["path"]?.string == "/send?to=%2B49301234567")
    let fields = (request["body"]?.string ?? "").split(separator: "&")
    #expect(fields.count == 2)
    #expect(fields.first?.dropFirst(5).removingPercentEncoding == text)
  }

  @Test("D9 · sends a GET without a body, and escapes XML in the body of a PUT")
  func others() async throws {
    let peer = try await Peer("gateway", [])
    try gateway(peer.port, path: "/?p={phone}&t={text}", method: "GET").send(message)
    let get = try await peer.next()
    #expect(get["method"]?.string == "GET")
    let values = (get["path"]?.string ?? "").split(separator: "&")
    #expect(values.count == 2 && values.first == "/?p=%2B49301234567")
    #expect(values.last?.dropFirst(2).removingPercentEncoding == text)
    #expect(get["body"]?.string == "")
    try gateway(
      peer.port, method: "PUT", type: "text/xml", body: "<sms to='{phone}'>{text}</sms>"
    ).send(message)
    let put = try await peer.next()
    #expect(put["method"]?.string == "PUT")
    #expect(put["body"]?.string?.contains("&lt;b&gt;") == true)
  }

  @Test("D9 · does not expand placeholders inside values")
  func placeholders() {
    let template = MessageTemplate("{text}|{phone}|{|{tex", escaping: .plain)
    #expect(template.filled(phone: "{text}", text: "{phone}") == "{phone}|{text}|{|{tex")
  }

  @Test(
    "D9 · every status but a success is a failure, and its hint says what to check",
    arguments: [
      (302, "Redirections"), (401, "key"), (404, "url"), (429, "later"), (500, "has failed"),
    ])
  func statuses(_ status: Int, _ word: String) async throws {
    let peer = try await Peer("gateway", ["--status", "\(status)"])
    let error = try #require(failure(try gateway(peer.port, method: "GET")))
    #expect(error.code == .deliveryFailed)
    #expect(error.message.contains("answered \(status)"))
    #expect(error.hint.contains(word))
    #expect(!"\(error.message)\(error.hint)".contains("canary"))
  }

  @Test("D9 · a gateway that hangs, disconnects or is absent is a failure; one that floods is not")
  func failures() async throws {
    let hanging = try await Peer("gateway", ["--behaviour", "hang"])
    let late = failure(try gateway(hanging.port, method: "GET", whole: .milliseconds(300)))
    #expect(late?.message.contains("did not answer in time") == true)
    let dropping = try await Peer("gateway", ["--behaviour", "drop"])
    let dropped = failure(try gateway(dropping.port, method: "GET"))
    #expect(dropped?.message.contains("closed the connection too early") == true)
    let flooding = try await Peer("gateway", ["--behaviour", "flood"])
    #expect(failure(try gateway(flooding.port, method: "GET")) == nil)
    let absent = failure(try gateway(1, method: "GET"))
    #expect(absent?.message.contains("nothing answers") == true)
  }

  @Test("D9 · the hints of a gateway's failures name no settings of mail")
  func hints() async throws {
    let hanging = try await Peer("gateway", ["--behaviour", "hang"])
    let late = try #require(
      failure(try gateway(hanging.port, method: "GET", whole: .milliseconds(300))))
    // The peer answers a TLS handshake with an HTTP error.
    let plain = try await Peer("gateway", [])
    let handshake = try #require(
      failure(
        TextMessageGateway(
          url: "https://127.0.0.1:\(plain.port)/", host: "127.0.0.1", method: "GET", headers: [],
          body: nil)))
    #expect(handshake.message.contains("TLS handshake"))
    for error in [late, handshake] {
      #expect(error.hint.contains("\"sms\"") && error.hint.contains("\"url\""))
      for word in ["mail", "starttls", "trust"] { #expect(!error.hint.contains(word)) }
    }
  }

  @Test("D9 · a header cannot add another one, and its value is never shown")
  func headers() throws {
    for (name, value) in [
      ("", "x"), ("X Y", "x"), ("X:", "x"), ("X", "a\r\nB: c"), ("X", "a\0"), ("Ü", "x"),
    ] {
      #expect(TextMessageGateway.Header(name, value) == nil)
    }
    let gateway = try gateway(1, type: "text/plain", body: "{text}")
    var shown = "\(gateway)"
    dump(gateway, to: &shown)
    #expect(!shown.contains("canary"))
  }
}
