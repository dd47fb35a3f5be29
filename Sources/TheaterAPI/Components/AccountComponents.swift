// The components of requests and responses about sessions and accounts.

extension Component {
  static let accountComponents = [
    user, session, openedSession, openSessions, endedSessions, codeRequest, registered, ownAccount,
    secondFactorSecret, recoveryCodes, accounts, invitation, invitations, issuedInvitation,
    guestPass, guestPasses, issuedGuestPass, accessToken, accessTokens, personTokens,
    issuedAccessToken, revokedAccessTokens, auditPage,
  ]

  static let user = Component(
    "User",
    .object(
      ["name": .displayName, "role": .anyRole],
      optional: [
        "email": .email,
        "language": .language.described(
          "The chosen language of the page; missing for the browser's."),
      ]))

  static let session = Component(
    "Session",
    .object(
      sessionMembers,
      optional: guestMembers + [
        "accessToken": .object(["name": .displayName, "may": .tokenWords]).described(
          "The access token of the request; missing for a session.")
      ]))

  /// A session with its token. Where the request asked for a cookie, the tokens are in cookies.
  static let openedSession = Component(
    "OpenedSession",
    .object(
      sessionMembers,
      optional: guestMembers + ["token": .text(20...200), "device": .text(20...200)]))

  private static let sessionMembers: Schema.Members = [
    "user": .reference(user), "expires": .time,
  ]
  private static let guestMembers: Schema.Members = [
    "ageLimit": .ageLimit, "activities": .list(of: .name), "volumeLimit": .percent,
    "wallTablet": .boolean,
  ]

  static let openSessions = Component(
    "OpenSessions",
    .object([
      "sessions": .list(
        of: .object([
          "id": .id, "device": .text(0...80), "address": .text(0...80), "opened": .time,
          "lastSeen": .time, "expires": .time, "current": .boolean,
        ]))
    ]))

  static let endedSessions = Component(
    "EndedSessions",
    .object(
      ["ended": .count],
      optional: [
        "tokens": .count.described("How many access tokens are still valid; missing for none."),
        "revokedTokens": .count.described("How many access tokens were revoked; missing for none."),
      ]))

  static let codeRequest = Component(
    "CodeRequest",
    .object([
      "request": .text(1...64), "digits": .integer(1...20), "validFor": .seconds,
      "resendAfter": .seconds,
    ]))

  static let registered = Component("Registered", .object(["user": .reference(user)]))

  static let ownAccount = Component(
    "OwnAccount",
    .object([
      "user": .object(
        [
          "name": .displayName, "email": .email, "emailVerified": .boolean, "role": .accountRole,
          "secondFactor": .boolean,
        ],
        optional: [
          "phone": .text(1...40), "language": .language, "recoveryCodesLeft": .integer(0...10),
        ])
    ]))

  static let secondFactorSecret = Component(
    "SecondFactorSecret",
    .object(
      ["secret": .text(16...200), "uri": .text(1...2000)],
      optional: ["svg": .text().described("A QR code of `uri`.")]))

  static let recoveryCodes = Component(
    "RecoveryCodes", .object(["recoveryCodes": .list(of: .text(1...80), count: 10...10)]))

  static let accounts = Component(
    "Accounts",
    .object([
      "accounts": .list(
        of: .object(
          [
            "id": .id, "name": .displayName, "email": .email, "role": .accountRole,
            "created": .time,
          ],
          optional: ["ageLimit": .ageLimit]))
    ]))

  private static let invitationMembers: Schema.Members = [
    "id": .id, "role": .accountRole, "made": .time, "expires": .time,
  ]
  /// The code is shown once, with the command that redeems it.
  private static let codeMembers: Schema.Members = [
    "code": .text(1...80), "command": .text(1...200),
  ]
  /// The address that does the same in a browser, where the controller knows its address.
  private static let linkMembers: Schema.Members = [
    "link": .text(1...400),
    "qr": .list(of: .text(21...177, pattern: "^[01]+$"), count: 21...177).described(
      "A QR code of `link`: a text for each row of modules, `1` for a dark one, without the quiet zone "
        + "of four light modules."),
  ]
  private static let passMembers: Schema.Members = [
    "id": .id, "name": .displayName, "activities": .list(of: .name, count: 1...100),
    "volumeLimit": .percent, "made": .time, "expires": .time,
  ]
  private static let limitMembers: Schema.Members = [
    "ageLimit": .ageLimit,
    "wallTablet": .boolean.described("The pass of a wall tablet, which names all activities."),
  ]

  static let invitation = Component("Invitation", .object(invitationMembers))
  static let invitations = Component(
    "Invitations", .object(["invitations": .list(of: .reference(invitation))]))
  static let issuedInvitation = Component(
    "IssuedInvitation", .object(invitationMembers + codeMembers, optional: linkMembers))

  static let guestPass = Component(
    "GuestPass", .object(passMembers, optional: limitMembers))
  static let guestPasses = Component(
    "GuestPasses", .object(["guests": .list(of: .reference(guestPass))]))
  static let issuedGuestPass = Component(
    "IssuedGuestPass",
    .object(passMembers + codeMembers, optional: linkMembers + limitMembers))

  private static let tokenMembers: Schema.Members = [
    "id": .id, "name": .displayName, "may": .tokenWords, "made": .time, "expires": .time,
  ]
  private static let tokenUse: Schema.Members = [
    "lastUsed": .time.described("Up to a minute old; missing for a token that was never used."),
    "lastAddress": .text(0...80),
  ]

  static let accessToken = Component("AccessToken", .object(tokenMembers, optional: tokenUse))
  static let personTokens = Component(
    "PersonTokens", .object(["tokens": .list(of: .reference(accessToken))]))
  static let accessTokens = Component(
    "AccessTokens",
    .object([
      "tokens": .list(of: .reference(accessToken)),
      "words": .list(of: .text(1...140)).described(
        "Every word that a token of this theater may have in `may`."),
    ]))
  static let issuedAccessToken = Component(
    "IssuedAccessToken",
    .object(
      tokenMembers + [
        "token": .text(20...200, pattern: "^theater_").described("The secret, shown once.")
      ]))
  static let revokedAccessTokens = Component("RevokedAccessTokens", .object(["revoked": .count]))

  static let auditPage = Component(
    "AuditPage",
    .object(
      [
        "entries": .list(
          of: .object(
            [
              "at": .time, "deed": .text(1...64), "outcome": .text(1...64), "address": .text(),
              "device": .text(),
            ],
            optional: [
              "who": .text(), "subject": .text(),
              "proven": .boolean.described("Whether `who` had a session, or only a claim."),
              "count": .count.described("How often it was repeated within an hour."),
              "last": .time,
            ]),
          count: 0...1000)
      ],
      optional: [
        "before": .integer(1...Int.max).described("The position of the earlier entries, if any.")
      ]))
}

extension Schema {
  /// English, Ukrainian or Russian.
  static let language = Schema.words(["en", "uk", "ru"])
  /// The display name of a person.
  static let displayName = Schema.text(1...100)
  static let email = Schema.text(1...254)
  /// A phone number in the international form: `+49 30 1234567`.
  static let phone = Schema.text(1...100)
  static let password = Schema.text(1...65_536)
  /// Six digits of an authenticator app, or a recovery code.
  static let secondFactorCode = Schema.text(1...80)
  /// A setup code, an invitation or a guest pass.
  static let entryCode = Schema.text(1...4096)
  /// The digits of a message, and the request for which they were sent.
  static let sentCode = Schema.text(1...80)
  static let codeRequestID = Schema.text(1...80)
  /// Whether the answer sets a cookie for a browser instead of returning a token.
  static let cookie = Schema.boolean
  static let id = Schema.text(1...64)
  /// What an access token may do: `all`, `view`, the name of an operation, `scene:NAME`, `activity:NAME`,
  /// `device:DEVICE/COMMAND`.
  static let tokenWords = Schema.list(of: .text(1...140), count: 1...50)
  /// In years.
  static let ageLimit = Schema.integer(0...21)
  static let accountRole = Schema.words(["owner", "member"])
  static let anyRole = Schema.words(["owner", "member", "guest"])

  /// Where a code is sent: exactly one of these.
  static let contact = Schema.request(exactlyOneOf: .contacts)
}

extension Schema.Members {
  /// Where a code is sent: exactly one of these.
  static let contacts: Self = ["email": .email, "phone": .phone]

  /// The proof with which a person may register: exactly one of these.
  static let registrationCodes: Self = [
    "setupCode": .entryCode, "invitation": .entryCode,
  ]

  static func + (left: Self, right: Self) -> Self { Self(left.list + right.list) }
}
