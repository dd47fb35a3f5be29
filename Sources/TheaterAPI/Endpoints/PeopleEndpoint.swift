import Devices

/// Other people's accounts, invitations, guest passes and the audit log.
public enum PeopleEndpoint: String, Endpoint {
  case accounts, setRole, setAgeLimit, removePerson, personSessions, endPersonSession
  case personTokens, revokePersonToken
  case invite, invitations, revokeInvitation
  case createGuestPass, guestPasses, revokeGuestPass
  case auditLog

  public static let title = "Other people"

  public var route: Route {
    switch self {
    case .accounts:
      Route(
        .get, "/accounts", .permitted(.administer, tokens: .never), "Lists all accounts.",
        answers: [200: .json(.reference(.accounts))], errors: [503])
    case .setRole:
      Route(
        .post, "/accounts/{id}/role", .permitted(.administer, tokens: .never),
        "Changes the role of an account.",
        body: .json(.request(["role": .accountRole])), answers: [204: .empty],
        errors: [409, 503, 507])
    case .setAgeLimit:
      Route(
        .post, "/accounts/{id}/age-limit", .permitted(.administer, tokens: .never),
        "Sets the highest age rating that an account may watch; none removes the limit.",
        body: .json(.request(optional: ["ageLimit": .ageLimit])), answers: [204: .empty],
        errors: [409, 503, 507])
    case .removePerson:
      Route(
        .delete, "/accounts/{id}", .permitted(.administer, tokens: .never),
        "Deletes an account and ends its sessions.", answers: [204: .empty],
        errors: [409, 503, 507])
    case .personSessions:
      Route(
        .get, "/accounts/{id}/sessions", .permitted(.administer, tokens: .never),
        "Lists the sessions of an account, the newest first.",
        answers: [200: .json(.reference(.openSessions))], errors: [503])
    case .endPersonSession:
      Route(
        .delete, "/accounts/{id}/sessions/{session}", .permitted(.administer, tokens: .never),
        "Ends a session of an account.", answers: [204: .empty], errors: [503, 507])
    case .personTokens:
      Route(
        .get, "/accounts/{id}/tokens", .permitted(.administer, tokens: .never),
        "Lists the access tokens of an account, the newest first.",
        answers: [200: .json(.reference(.personTokens))], errors: [503])
    case .revokePersonToken:
      Route(
        .delete, "/accounts/{id}/tokens/{token}", .permitted(.administer, tokens: .never),
        "Revokes an access token of an account.", answers: [204: .empty], errors: [503, 507])
    case .invite:
      Route(
        .post, "/invitations", .permitted(.administer, tokens: .never),
        "Creates an invitation: a code with which one person registers.",
        body: .json(
          .request(
            optional: ["role": .accountRole, "validFor": .number(60...7_776_000)])),
        answers: [201: .json(.reference(.issuedInvitation))], errors: [503, 507])
    case .invitations:
      Route(
        .get, "/invitations", .permitted(.administer, tokens: .never),
        "Lists the open invitations, without their codes.",
        answers: [200: .json(.reference(.invitations))], errors: [503])
    case .revokeInvitation:
      Route(
        .delete, "/invitations/{id}", .permitted(.administer, tokens: .never),
        "Revokes an invitation.",
        answers: [204: .empty], errors: [503, 507])
    case .createGuestPass:
      Route(
        .post, "/guests", .permitted(.administer, tokens: .never),
        "Creates a guest pass with its code.",
        body: .json(
          .oneOf([
            .request(
              ["activities": .list(of: .name, count: 1...100)],
              optional: [
                "name": .displayName, "volumeLimit": .integer(0...100), "ageLimit": .ageLimit,
                "validFor": .number(60...2_592_000), "wallTablet": .null,
              ]),
            .request(
              ["wallTablet": .boolean],
              optional: [
                "name": .displayName, "ageLimit": .ageLimit, "activities": .null,
                "volumeLimit": .null, "validFor": .null,
              ]),
          ])),
        answers: [201: .json(.reference(.issuedGuestPass))], errors: [404, 503, 507])
    case .guestPasses:
      Route(
        .get, "/guests", .permitted(.administer, tokens: .never),
        "Lists the valid guest passes, without their codes.",
        answers: [200: .json(.reference(.guestPasses))], errors: [503])
    case .revokeGuestPass:
      Route(
        .delete, "/guests/{id}", .permitted(.administer, tokens: .never),
        "Revokes a guest pass and ends its sessions.", answers: [204: .empty],
        errors: [503, 507])
    case .auditLog:
      Route(
        .get, "/audit", .permitted(.administer, tokens: .everything),
        "Returns the newest entries of the audit log, or the entries before a position in it.",
        parameters: [
          .init(
            name: "limit", place: .query, schema: .integer(1...1000),
            help: "The largest number of entries; default 100."),
          .init(
            name: "since", place: .query, schema: .time,
            help: "The earliest time of an entry. The + of an offset is written %2B."),
          .init(
            name: "before", place: .query, schema: .integer(1...Int.max),
            help: "The `before` of an earlier answer, for the entries that precede it."),
        ],
        answers: [200: .json(.reference(.auditPage))], errors: [422, 503])
    }
  }
}
