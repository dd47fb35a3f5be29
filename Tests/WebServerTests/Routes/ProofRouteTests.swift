import APIClient
import AccountTestSupport
import Accounts
import JSON
import NIOHTTP1
import TestSupport
import Testing
import Validation
import WebServer

@Suite struct ProofRouteTests {
  /// Verifies the owner's address.
  private func verify(_ room: TestServer, _ owner: TestClient) async throws {
    let sent = try await owner.send(.POST, "/api/v1/account/email")
    #expect(sent.status == 202)
    #expect(sent.json["digits"] == 6 && sent.json["validFor"] == 600)
    #expect(sent.json["resendAfter"] == 30)
    let confirmed = try await owner.send(
      .POST, "/api/v1/account/email/confirmation",
      [
        "request": sent.json["request"] ?? .null,
        "code": .string(try #require(room.sentMessages.code)),
      ])
    #expect(confirmed.status == 200)
    #expect(confirmed.json["user"]?["emailVerified"] == true)
  }

  @Test(
    "D1 D8 · verifies an e-mail address, and answers an early second request with 429 and the wait")
  func verification() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      #expect(try await owner.send(.GET, "/api/v1/account").json["user"]?["emailVerified"] == false)
      try await verify(room, owner)
      let early = try await owner.send(.POST, "/api/v1/account/email")
      #expect(early.status == 429)
      #expect(early.json["error"]?["code"] == "tooEarly")
      let wait = try #require(early.json["error"]?["retryAfter"]?.integer)
      #expect((1...30).contains(wait))
      #expect(early.header("retry-after") == "\(wait)")
    }
  }

  @Test("D9 · answers alike for known and unknown contacts when nothing can be sent")
  func unavailable() async throws {
    try await TestServer.open { room in
      _ = try await room.owner()
      let answer = try await room.stranger.send(
        .POST, "/api/v1/login-codes", ["phone": "+49 30 1234567"])
      #expect(answer.status == 409)
      #expect(answer.json["error"]?["code"] == "deliveryUnavailable")
    }
  }

  @Test(
    "E4 · logs in with a code, and answers alike for known and unknown addresses")
  func codeLogin() async throws {
    try await TestServer.open { room in
      try await verify(room, try await room.owner())
      for path in ["/api/v1/login-codes", "/api/v1/password-resets"] {
        let before = room.sentMessages.messages.count
        let known = try await room.stranger.send(.POST, path, ["email": "ann@example.org"])
        #expect(room.sentMessages.messages.count == before + 1)
        let unknown = try await room.stranger.send(.POST, path, ["email": "nob@example.org"])
        #expect(room.sentMessages.messages.count == before + 1)
        #expect(known.status == 202 && unknown.status == 202)
        #expect(known.body.count == unknown.body.count)
        #expect(known.headers.map(\.name) == unknown.headers.map(\.name))
        guard path == "/api/v1/login-codes" else { continue }
        let login = try await room.stranger.send(
          .POST, "/api/v1/sessions",
          [
            "request": known.json["request"] ?? .null,
            "oneTimeCode": .string(try #require(room.sentMessages.code)),
          ])
        #expect(login.status == 201)
        #expect(login.json["user"]?["name"] == "Ann")
      }
    }
  }

  @Test("D2 D8 · tells whether a reset code is right when the new password is missing")
  func resetLooks() async throws {
    try await TestServer.open { room in
      try await verify(room, try await room.owner())
      let sent = try await room.stranger.send(
        .POST, "/api/v1/password-resets", ["email": "ann@example.org"])
      let right = try #require(room.sentMessages.code)
      func confirm(_ code: String, _ password: String? = nil) async throws -> ControllerResponse {
        var body: JSONObject = [
          "request": sent.json["request"] ?? .null, "code": .string(code),
        ]
        if let password { body["newPassword"] = .string(password) }
        return try await room.stranger.send(
          .POST, "/api/v1/password-resets/confirmation", .object(body))
      }
      let wrong = try await confirm(right == "000000" ? "000001" : "000000")
      #expect(wrong.json["error"]?["code"] == "codeWrong")
      #expect(wrong.json["error"]?["triesLeft"] == 4)
      for _ in 1...2 {
        let looked = try await confirm(right)
        #expect(looked.status == 422)
        #expect(looked.json["error"]?["code"] == "empty")
        #expect(looked.json["error"]?["field"] == "newPassword")
      }
      #expect(try await confirm(right, "another evening with friends").status == 204)
      #expect(try await confirm(right).json["error"]?["code"] == "codeExpired")
    }
  }

  @Test("enrols a second factor with a QR code, and then requires it at login")
  func secondFactor() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let enrolment = try await owner.send(.POST, "/api/v1/account/second-factor")
      #expect(enrolment.status == 201)
      #expect(enrolment.json["uri"]?.string?.hasPrefix("otpauth://totp/") == true)
      #expect(enrolment.json["svg"]?.string?.hasPrefix("<svg") == true)
      let wrong = try await owner.send(
        .POST, "/api/v1/account/second-factor/confirmation", ["code": "abc"])
      #expect(wrong.status == 422)
      #expect(wrong.json["error"]?["field"] == "code")
      // Not confirmed: the password alone is enough.
      _ = try await room.logIn("ann@example.org")
      let none = try await owner.send(.POST, "/api/v1/account/recovery-codes")
      #expect(none.status == 409)
    }
  }

  @Test(
    "C1 D1 · accepts exactly the phone numbers that the published rule accepts",
    arguments: [
      "+49 30 1234567", "+49 (30) 123-45.67", "+49301234567 ", "+49 (0)30 1234567",
      "+49/30/1234567", " +49301234567", "030 1234567", "+12", "+1234567890123456", "+49 30 ABC",
    ])
  func phone(_ typed: String) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, "/api/v1/account/phone", ["phone": .string(typed)])
      let report = room.accountService.rules.report(on: typed, in: .phone)
      if report.state == .valid {
        // Here are no text messages; the number was fine.
        #expect(answer.json["error"]?["code"] == "deliveryUnavailable")
      } else {
        #expect(answer.status == 422)
        #expect(answer.json["error"]?["field"] == "phone")
      }
    }
  }

  @Test("changes a password, and refuses a contact that is neither address nor number")
  func passwords() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let changed = try await owner.send(
        .POST, "/api/v1/account/password",
        ["password": .string(TestServer.password), "newPassword": "another evening with friends"])
      #expect(changed.status == 204)
      let wrong = try await owner.send(
        .POST, "/api/v1/account/password",
        ["password": .string(TestServer.password), "newPassword": "another evening with friends"])
      #expect(wrong.status == 401)
      #expect(wrong.json["error"]?["field"] == "password")
      for body: JSON in [[:], ["email": "a@b.co", "phone": "+49301234567"]] {
        #expect(try await room.stranger.send(.POST, "/api/v1/password-resets", body).status == 422)
      }
    }
  }
}
