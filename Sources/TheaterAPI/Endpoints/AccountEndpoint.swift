import Devices

/// Registering, and one's own account.
public enum AccountEndpoint: String, Endpoint {
  case register, sendRegistrationCode, registerByCode
  case validationRules, passwordBlocklist, answerQuestion
  case account, changeName, changeLanguage, removeAccount
  case sendEmailCode, confirmEmail, sendPhoneCode, confirmPhone
  case changePassword, sendPasswordResetCode, resetPassword
  case addSecondFactor, confirmSecondFactor, removeSecondFactor, renewRecoveryCodes
  case accessTokens, createAccessToken, revokeAccessToken, revokeAccessTokens

  public static let title = "One's own account"

  public var route: Route {
    switch self {
    case .register:
      Route(
        .post, "/accounts", .everyone,
        "Creates an account for the holder of the setup code or of an invitation.",
        body: .json(
          .request(
            exactlyOneOf: .registrationCodes,
            ["name": .displayName, "email": .email, "password": .password])),
        answers: [201: .json(.reference(.registered))], errors: [409, 429, 503, 507])
    case .sendRegistrationCode:
      Route(
        .post, "/registrations", .everyone,
        "Sends a code with which the holder of an invitation registers.",
        body: .json(.request(exactlyOneOf: .contacts, ["invitation": .entryCode])),
        answers: [202: .json(.reference(.codeRequest))], errors: Self.sending)
    case .registerByCode:
      Route(
        .post, "/registrations/confirmation", .everyone,
        "Creates an account whose e-mail address or phone number the code verifies, and opens a "
          + "session. Without `name` it only checks the code: 422 `empty` means that the code is right.",
        body: .json(
          .request(
            ["invitation": .entryCode, "request": .codeRequestID, "code": .sentCode],
            optional: [
              "name": .displayName, "email": .email, "password": .password, "cookie": .cookie,
            ])),
        answers: [201: .json(.reference(.openedSession))], errors: [409, 429, 503, 507])
    case .validationRules:
      Route(
        .get, "/validation", .everyone,
        "Returns the rules for names, e-mail addresses and passwords, and the forms of accounts.",
        answers: [200: .json(.reference(.validationRules))])
    case .passwordBlocklist:
      Route(
        .get, "/validation/blocklist", .everyone,
        "Returns the common passwords that the rule `notInBlocklist` refuses.",
        answers: [200: .json(.reference(.passwordBlocklist))])
    case .answerQuestion:
      Route(
        .post, "/validation/answers", .everyone,
        "Tells the holder of a registration code whether an e-mail address is still free (`emailFree`).",
        body: .json(
          .request(
            exactlyOneOf: .registrationCodes,
            ["question": .words(["emailFree"]), "text": .text(0...1000)])),
        answers: [200: .json(.reference(.questionAnswer))], errors: [409, 429, 503, 507])
    case .account:
      Route(
        .get, "/account", .permitted(.account, tokens: .never),
        "Shows one's own account: verified contacts, second factor, recovery codes left.",
        answers: [200: .json(.reference(.ownAccount))], errors: [503])
    case .changeName:
      Route(
        .post, "/account/name", .permitted(.account, tokens: .never), "Changes one's display name.",
        body: .json(.request(["name": .displayName])), answers: [204: .empty], errors: [503, 507])
    case .changeLanguage:
      Route(
        .post, "/account/language", .permitted(.account, tokens: .never),
        "Sets the language of the page for one's own account; without `language` the browser's applies.",
        body: .json(.request(optional: ["language": .language])), answers: [204: .empty],
        errors: [503, 507])
    case .removeAccount:
      Route(
        .delete, "/account", .permitted(.account, tokens: .never),
        "Deletes one's own account; needs a proof of the last five minutes.",
        answers: [204: .empty], errors: [409, 503, 507])
    case .sendEmailCode:
      Route(
        .post, "/account/email", .permitted(.account, tokens: .never),
        "Sends a code to one's e-mail address, or to a new one.",
        body: .json(.request(optional: ["email": .email])),
        answers: [202: .json(.reference(.codeRequest))], errors: Self.sending)
    case .confirmEmail:
      confirmation("/account/email/confirmation", "Verifies the e-mail address with its code.")
    case .sendPhoneCode:
      Route(
        .post, "/account/phone", .permitted(.account, tokens: .never),
        "Sends a code to a phone number.",
        body: .json(.request(["phone": .phone])),
        answers: [202: .json(.reference(.codeRequest))], errors: Self.sending)
    case .confirmPhone:
      confirmation("/account/phone/confirmation", "Verifies the phone number with its code.")
    case .changePassword:
      Route(
        .post, "/account/password", .permitted(.account, tokens: .never),
        "Changes the password and ends one's other sessions.",
        body: .json(.request(["password": .password, "newPassword": .password])),
        answers: [204: .empty], errors: [429, 503, 507])
    case .sendPasswordResetCode:
      Route(
        .post, "/password-resets", .everyone,
        "Sends a code with which a forgotten password is replaced.",
        body: .json(.contact), answers: [202: .json(.reference(.codeRequest))],
        errors: [409, 429, 503, 507])
    case .resetPassword:
      Route(
        .post, "/password-resets/confirmation", .everyone,
        "Replaces a forgotten password and ends all sessions. Without `newPassword` it only checks the "
          + "code: 422 `empty` means that the code is right.",
        body: .json(
          .request(
            ["request": .codeRequestID, "code": .sentCode], optional: ["newPassword": .password])),
        answers: [204: .empty], errors: [429, 503, 507])
    case .addSecondFactor:
      Route(
        .post, "/account/second-factor", .permitted(.account, tokens: .never),
        "Creates a secret for an authenticator app, as text and as a QR code.",
        body: .json(.request()), answers: [201: .json(.reference(.secondFactorSecret))],
        errors: [409, 503, 507])
    case .confirmSecondFactor:
      Route(
        .post, "/account/second-factor/confirmation", .permitted(.account, tokens: .never),
        "Activates the second factor with a first code of the app.",
        body: .json(.request(["code": .secondFactorCode])),
        answers: [201: .json(.reference(.recoveryCodes))], errors: [409, 429, 503, 507])
    case .removeSecondFactor:
      Route(
        .post, "/account/second-factor/removal", .permitted(.account, tokens: .never),
        "Removes the second factor and its recovery codes; needs a fresh proof.",
        body: .json(.request(["password": .password])), answers: [204: .empty],
        errors: [409, 429, 503, 507])
    case .renewRecoveryCodes:
      Route(
        .post, "/account/recovery-codes", .permitted(.account, tokens: .never),
        "Creates ten recovery codes and voids the earlier ones.",
        body: .json(.request()), answers: [201: .json(.reference(.recoveryCodes))],
        errors: [409, 503, 507])
    case .accessTokens:
      Route(
        .get, "/account/tokens", .permitted(.account, tokens: .never),
        "Lists one's own access tokens without their secrets, and the words that a token may have.",
        answers: [200: .json(.reference(.accessTokens))], errors: [503])
    case .createAccessToken:
      Route(
        .post, "/account/tokens", .permitted(.account, tokens: .never),
        "Creates an access token for a program, and returns its secret once; needs a fresh proof. "
          + "An account has at most 20.",
        body: .json(
          .request(
            ["name": .displayName, "may": .tokenWords],
            optional: [
              "validFor": .number(60...63_072_000).described(
                "In seconds; 90 days without it, 730 days at most.")
            ])),
        answers: [201: .json(.reference(.issuedAccessToken))], errors: [409, 503, 507])
    case .revokeAccessToken:
      Route(
        .delete, "/account/tokens/{id}", .permitted(.account, tokens: .never),
        "Revokes one of one's own access tokens.", answers: [204: .empty], errors: [503, 507])
    case .revokeAccessTokens:
      Route(
        .delete, "/account/tokens", .permitted(.account, tokens: .never),
        "Revokes all of one's own access tokens.",
        answers: [200: .json(.reference(.revokedAccessTokens))], errors: [503, 507])
    }
  }

  private static let sending: Set<Int> = [409, 429, 502, 503, 507]

  private func confirmation(_ path: String, _ help: String) -> Route {
    Route(
      .post, path, .permitted(.account, tokens: .never), help,
      body: .json(.request(["request": .codeRequestID, "code": .sentCode])),
      answers: [200: .json(.reference(.ownAccount))], errors: [409, 429, 503, 507])
  }
}
