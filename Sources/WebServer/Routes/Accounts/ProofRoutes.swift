import Accounts
import Devices
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import QRCode

extension APIServices {
  /// What people prove and change of their own account: addresses, password, second factor.
  var proofRoutes: [Route] { ownAccountRoutes + passwordRoutes + secondFactorRoutes + codeRoutes }

  private var ownAccountRoutes: [Route] {
    [
      .get("/api/v1/account", by: .permitted(.account), "One's own account, and what is proven.") {
        call in
        Response(Self.json(try await accountService.contacts.ownAccount(of: call.principal())))
      },
      .post(
        "/api/v1/account/email", by: .permitted(.account),
        "Sends a code to the account's address, or to a new one."
      ) { call in
        let fields = try call.fields("email")
        return Response(
          Self.json(
            try await accountService.contacts.sendEmailCode(
              to: fields.text("email"), by: call.principal())),
          status: .accepted)
      },
      .post(
        "/api/v1/account/phone", by: .permitted(.account), "Sends a code to a phone number."
      ) { call in
        let fields = try call.fields("phone")
        return Response(
          Self.json(
            try await accountService.contacts.sendPhoneCode(
              to: fields.requiredText("phone"), by: call.principal())),
          status: .accepted)
      },
      confirmation("/api/v1/account/email/confirmation", .verifyEmail, "Takes the code: verified."),
      confirmation("/api/v1/account/phone/confirmation", .verifyPhone, "Takes the code: verified."),
    ]
  }

  private func confirmation(_ path: String, _ purpose: CodePurpose, _ help: String) -> Route {
    .post(path, by: .permitted(.account), help) { call in
      let fields = try call.fields("request", "code")
      try await accountService.contacts.confirm(
        fields.requiredText("code"), of: fields.requiredText("request"), for: purpose,
        by: call.principal())
      return Response(Self.json(try await accountService.contacts.ownAccount(of: call.principal())))
    }
  }

  private var passwordRoutes: [Route] {
    [
      .post(
        "/api/v1/account/password", by: .permitted(.account),
        "Changes the password; other sessions end."
      ) { call in
        let fields = try call.fields("password", "newPassword")
        try await accountService.passwords.change(
          fields.requiredText("password"), to: fields.requiredText("newPassword"),
          by: call.principal())
        return Response(status: .noContent)
      },
      .post("/api/v1/password-resets", by: .everyone, "Sends a code to who forgot the password.") {
        call in
        Response(
          Self.json(try await accountService.passwords.beginReset(Self.destination(call))),
          status: .accepted)
      },
      .post(
        "/api/v1/password-resets/confirmation", by: .everyone,
        "Takes the code and a new password; every session ends."
      ) { call in
        let fields = try call.fields("request", "code", "newPassword")
        // Without a password the code is looked at all the same, and says what is missing.
        try await accountService.passwords.finishReset(
          fields.requiredText("code"), of: fields.requiredText("request"),
          newPassword: fields.text("newPassword") ?? "")
        return Response(status: .noContent)
      },
    ]
  }

  private var secondFactorRoutes: [Route] {
    [
      .post(
        "/api/v1/account/second-factor", by: .permitted(.account),
        "A secret for an authenticator app, as text and as a QR code."
      ) { call in
        let enrolment = try await accountService.secondFactor.enrol(by: call.principal())
        var answer: JSONObject = [
          "secret": .string(enrolment.secret), "uri": .string(enrolment.uri),
        ]
        if let code = QRCode(enrolment.uri) { answer["svg"] = .string(code.svg) }
        return Response(.object(answer), status: .created)
      },
      .post(
        "/api/v1/account/second-factor/confirmation", by: .permitted(.account),
        "Takes a first code of the app: the factor is active."
      ) { call in
        let fields = try call.fields("code")
        return Response(
          Self.json(
            try await accountService.secondFactor.confirm(
              fields.requiredText("code"), by: call.principal())),
          status: .created)
      },
      .post(
        "/api/v1/account/second-factor/removal", by: .permitted(.account),
        "Removes the second factor and its recovery codes."
      ) { call in
        let fields = try call.fields("password")
        try await accountService.secondFactor.remove(
          password: fields.requiredText("password"), by: call.principal())
        return Response(status: .noContent)
      },
      .post(
        "/api/v1/account/recovery-codes", by: .permitted(.account),
        "Ten new recovery codes; the earlier ones are void."
      ) { call in
        Response(
          Self.json(try await accountService.secondFactor.renewRecoveryCodes(by: call.principal())),
          status: .created)
      },
    ]
  }

  private var codeRoutes: [Route] {
    [
      .post("/api/v1/login-codes", by: .everyone, "Sends a code to log in with.") { call in
        Response(
          Self.json(try await accountService.sendLoginCode(to: Self.destination(call))),
          status: .accepted)
      }
    ]
  }

  private static func destination(_ call: RequestContext) throws -> CodeDestination {
    let fields = try call.fields("email", "phone")
    let (email, phone) = (try fields.text("email"), try fields.text("phone"))
    guard (email == nil) != (phone == nil) else {
      throw APIError.invalid("give either \"email\" or \"phone\"")
    }
    return try CodeDestination(email: email, phone: phone)
  }

  private static func json(_ request: CodeRequest) -> JSON {
    [
      "request": .string(request.id.text), "digits": .integer(request.digits),
      "validFor": .integer(request.validity.wholeSeconds),
      "resendAfter": .integer(request.resendWait.wholeSeconds),
    ]
  }

  private static func json(_ codes: [EntryCode]) -> JSON {
    ["recoveryCodes": .array(codes.map { .string($0.text) })]
  }

  private static func json(_ own: OwnAccount) -> JSON {
    var user: JSONObject = [
      "name": .string(own.account.name.text), "email": .string(own.account.email.text),
      "emailVerified": .bool(own.contact.emailVerifiedAt != nil),
      "role": .string(own.account.role.rawValue), "secondFactor": .bool(own.hasSecondFactor),
    ]
    if let phone = own.contact.phone { user["phone"] = .string(phone.text) }
    if own.hasSecondFactor { user["recoveryCodesLeft"] = .integer(own.recoveryCodesLeft) }
    return ["user": .object(user)]
  }
}
