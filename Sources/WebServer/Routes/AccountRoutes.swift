import AccountFlows
import Accounts
import Devices
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import QRCode
import TheaterAPI
import Validation

extension APIServices {
  /// Registering, and one's own account.
  func respond(to endpoint: AccountEndpoint, _ request: RequestContext) async throws -> Response {
    switch endpoint {
    case .register: return try await register(request)
    case .sendRegistrationCode:
      let invitation = try request.fields().requiredText("invitation")
      let sent = try await accountService.registration.sendCode(
        to: request.contact(), for: invitation)
      return Response(sent.json, status: .accepted)
    case .registerByCode: return try await registerByCode(request)
    case .validationRules:
      let forms = AccountForm.allCases.map { $0.declaration(accountService.rules).json }
      return Response([
        "format": .integer(RuleSet.format), "rules": accountService.rules.json,
        "forms": .array(forms),
      ])
    case .passwordBlocklist:
      return Response(jsonText: Self.passwordBlocklist)
    case .answerQuestion: return try await answerQuestion(request)
    case .account:
      return Response(try await accountService.contacts.ownAccount(of: request.principal()).json)
    case .changeName:
      try await accountService.people.setName(
        request.fields().requiredText("name"), by: request.principal())
      return Response(status: .noContent)
    case .changeLanguage:
      try await accountService.people.setLanguage(
        request.fields().language(), by: request.principal())
      return Response(status: .noContent)
    case .removeAccount:
      let principal = try request.principal()
      try await accountService.people.remove(principal.account, by: principal)
      return Response(status: .noContent)
    case .sendEmailCode:
      let sent = try await accountService.contacts.sendEmailCode(
        to: request.fields().text("email"), by: request.principal())
      return Response(sent.json, status: .accepted)
    case .confirmEmail: return try await confirm(.verifyEmail, request)
    case .sendPhoneCode:
      let sent = try await accountService.contacts.sendPhoneCode(
        to: request.fields().requiredText("phone"), by: request.principal())
      return Response(sent.json, status: .accepted)
    case .confirmPhone: return try await confirm(.verifyPhone, request)
    case .changePassword:
      let fields = try request.fields()
      try await accountService.passwords.change(
        fields.requiredText("password"), to: fields.requiredText("newPassword"),
        by: request.principal())
      return Response(status: .noContent)
    case .sendPasswordResetCode:
      return Response(
        try await accountService.passwords.beginReset(request.contact()).json, status: .accepted)
    case .resetPassword:
      let fields = try request.fields()
      // Without a password the code is checked all the same; then the error names the password.
      try await accountService.passwords.finishReset(
        fields.requiredText("code"), of: fields.requiredText("request"),
        newPassword: fields.text("newPassword") ?? "")
      return Response(status: .noContent)
    case .addSecondFactor:
      let enrolment = try await accountService.secondFactor.enrol(by: request.principal())
      var answer: JSONObject = [
        "secret": .string(enrolment.secret), "uri": .string(enrolment.uri),
      ]
      if let code = QRCode(enrolment.uri) { answer["svg"] = .string(code.svg) }
      return Response(.object(answer), status: .created)
    case .confirmSecondFactor:
      let codes = try await accountService.secondFactor.confirm(
        request.fields().requiredText("code"), by: request.principal())
      return Response(recoveryCodes: codes)
    case .removeSecondFactor:
      try await accountService.secondFactor.remove(
        password: request.fields().requiredText("password"), by: request.principal())
      return Response(status: .noContent)
    case .renewRecoveryCodes:
      return Response(
        recoveryCodes: try await accountService.secondFactor.renewRecoveryCodes(
          by: request.principal()))
    case .accessTokens: return try await listTokens(request)
    case .createAccessToken: return try await createToken(request)
    case .revokeAccessToken:
      try await accountService.tokens.revoke(
        TokenID(request.captured("id")), of: request.principal())
      return Response(status: .noContent)
    case .revokeAccessTokens:
      let count = try await accountService.tokens.revokeAll(of: request.principal())
      return Response(["revoked": .integer(count)])
    }
  }

  /// The text of the list of common passwords, one for all answers.
  private static let passwordBlocklist = ByteBuffer(
    string: JSON.object([
      "format": .integer(RuleSet.format),
      "entries": .array(Blocklist.entries.map { .string(String($0)) }),
    ]).text())

  private func register(_ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let account = try await accountService.registration.register(
      RegistrationRequest(
        admission: try fields.registrationCode(), name: try fields.requiredText("name"),
        email: try fields.requiredText("email"), password: try fields.requiredText("password")))
    return Response(
      [
        "user": [
          "name": .string(account.name.text), "email": .string(account.email.text),
          "role": .string(account.role.rawValue),
        ]
      ], status: .created)
  }

  private func registerByCode(_ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let cookies = try request.requestedCookies(fields)
    let code = CodeConfirmation(
      try fields.requiredText("code"), of: try fields.requiredText("request"))
    // Without personal data the codes are checked all the same; then the error names the first field.
    let loggedIn = try await accountService.register(
      RegistrationRequest(
        admission: .invitation(try fields.requiredText("invitation")),
        name: try fields.text("name") ?? "", email: try fields.text("email") ?? "",
        password: try fields.text("password") ?? ""),
      confirming: code)
    await endSession(of: request)
    return Response(loggedIn, cookies: cookies)
  }

  private func answerQuestion(_ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let name = try fields.requiredText("question")
    guard let question = AnsweredQuestion(rawValue: name) else {
      throw APIError.invalid(
        "there is no question \"\(name.quotation)\"",
        hint: "There is \(AnsweredQuestion.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    let answer = try await accountService.registration.answer(
      question, about: fields.requiredText("text"), for: fields.registrationCode())
    return Response(["answer": .bool(answer)])
  }

  private func confirm(_ purpose: CodePurpose, _ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let principal = try request.principal()
    try await accountService.contacts.confirm(
      fields.requiredText("code"), of: fields.requiredText("request"), for: purpose, by: principal)
    return Response(try await accountService.contacts.ownAccount(of: principal).json)
  }
}

extension BodyFields {
  /// The chosen language; `nil` for the browser's.
  fileprivate func language() throws(APIError) -> Language? {
    guard let code = try text("language") else { return nil }
    guard let language = Language(rawValue: code) else {
      throw .invalid(
        "there is no language \"\(code.quotation)\"",
        hint: "There is \(Language.allCases.map(\.rawValue).joined(separator: ", ")), or null.")
    }
    return language
  }

  /// The code that admits a person to registering: exactly one of two.
  fileprivate func registrationCode() throws(APIError) -> Accounts.Admission {
    switch (try text("setupCode"), try text("invitation")) {
    case (let code?, nil): return .setupCode(code)
    case (nil, let code?): return .invitation(code)
    default:
      throw .invalid(
        "give either \"setupCode\" or \"invitation\"",
        hint: "The first account takes the setup code from the controller's console.")
    }
  }
}

extension Response {
  fileprivate init(recoveryCodes: [EntryCode]) {
    self.init(
      ["recoveryCodes": .array(recoveryCodes.map { .string($0.text) })], status: .created)
  }
}

extension OwnAccount {
  fileprivate var json: JSON {
    var user: JSONObject = [
      "name": .string(account.name.text), "email": .string(account.email.text),
      "emailVerified": .bool(contact.emailVerifiedAt != nil),
      "role": .string(account.role.rawValue), "secondFactor": .bool(hasSecondFactor),
    ]
    if let phone = contact.phone { user["phone"] = .string(phone.text) }
    if let language = account.language { user["language"] = .string(language.rawValue) }
    if hasSecondFactor { user["recoveryCodesLeft"] = .integer(recoveryCodesLeft) }
    return ["user": .object(user)]
  }
}
