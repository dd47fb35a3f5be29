import Accounts
import Devices
import Foundation
import HTTPTypes
import HomeTheater
import Hummingbird
import JSON
import QRCode
import TheaterAPI

extension APIServices {
  /// Other people's accounts, invitations, guest passes and the audit log.
  func respond(to endpoint: PeopleEndpoint, _ request: RequestContext) async throws -> Response {
    switch endpoint {
    case .accounts:
      let people = try await accountService.people.list(for: request.principal())
      return Response(["accounts": .array(people.map(\.json))])
    case .setRole:
      let role = try request.fields().role("role")
      try await accountService.people.setRole(
        role, of: AccountID(request.captured("id")), by: request.principal())
    case .setAgeLimit:
      let years = try request.fields().integer("ageLimit")
      try await accountService.people.setAgeLimit(
        years, of: AccountID(request.captured("id")), by: request.principal())
    case .removePerson:
      try await accountService.people.remove(
        AccountID(request.captured("id")), by: request.principal())
    case .personSessions:
      let id = try AccountID(request.captured("id"))
      guard try await isAccount(id, request) else { throw AccountError.unknownAccount }
      let sessions = try await accountService.sessions.list(of: id, for: request.principal())
      return Response(["sessions": .array(sessions.map(\.json))])
    case .endPersonSession:
      try await accountService.sessions.end(
        SessionID(request.captured("session")), of: AccountID(request.captured("id")),
        by: request.principal())
    case .personTokens:
      let id = try AccountID(request.captured("id"))
      guard try await isAccount(id, request) else { throw AccountError.unknownAccount }
      let tokens = try await accountService.tokens.list(of: id, for: request.principal())
      return Response(["tokens": .array(tokens.map(\.json))])
    case .revokePersonToken:
      try await accountService.tokens.revoke(
        TokenID(request.captured("token")), of: AccountID(request.captured("id")),
        by: request.principal())
    case .invite: return try await invite(request)
    case .invitations:
      let open = try await accountService.invitations.list(for: request.principal())
      return Response(["invitations": .array(open.map(\.json))])
    case .revokeInvitation:
      try await accountService.invitations.revoke(
        InvitationID(request.captured("id")), by: request.principal())
    case .createGuestPass: return try await createGuestPass(request)
    case .guestPasses:
      let passes = try await accountService.guestPasses.list(for: request.principal())
      return Response(["guests": .array(passes.map(\.json))])
    case .revokeGuestPass:
      try await accountService.guestPasses.revoke(
        AccountID(request.captured("id")), by: request.principal())
    case .auditLog: return try await auditLog(request)
    }
    return Response(status: .noContent)
  }

  private func invite(_ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let role = fields["role"] == nil ? .member : try fields.role("role")
    let issued = try await accountService.invitations.make(
      by: request.principal(), role: role, validity: fields.number("validFor"))
    var answer = issued.invitation.members
    answer["code"] = .string(issued.code.text)
    answer["command"] = .string("theater register --invitation \(issued.code.text)")
    answer.addLink("/register#\(issued.code.text)", at: address(for: request))
    return Response(.object(answer), status: .created)
  }

  private func createGuestPass(_ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let ageLimit = try fields.integer("ageLimit")
    let isWallTablet = try fields.flag("wallTablet")
    for name in ["activities", "volumeLimit", "validFor"] where isWallTablet {
      if let value = fields[name], value != .null {
        throw APIError.invalid("a wall tablet has no \"\(name)\"")
      }
    }
    let pass =
      isWallTablet
      ? GuestPassRequest(
        wallTablet: try fields.text("name") ?? "Wall tablet",
        activities: theater.plan.activities.keys.sorted(), ageLimit: ageLimit)
      : GuestPassRequest(
        name: try fields.text("name") ?? "Guest", activities: try activities(fields),
        volumeLimit: try fields.integer("volumeLimit") ?? 50, ageLimit: ageLimit,
        validity: try fields.number("validFor") ?? 86_400)
    let issued = try await accountService.guestPasses.make(pass, by: request.principal())
    var answer = issued.pass.members
    answer["code"] = .string(issued.code.text)
    // The command reads the code from standard input, so that no list of processes shows it.
    answer["command"] = "theater guest enter"
    answer.addLink("/guest#\(issued.code.text)", at: address(for: request))
    return Response(.object(answer), status: .created)
  }

  /// The address for browsers: the configured one, else the one of the page that asks, which the
  /// listener has checked.
  private func address(for request: RequestContext) -> String? {
    webAddress ?? (request.cookies == nil ? nil : request.request.headers[.origin])
  }

  /// Whether there is an account with this id.
  private func isAccount(_ id: AccountID, _ request: RequestContext) async throws -> Bool {
    try await accountService.people.list(for: request.principal()).contains { $0.id == id }
  }

  /// The activities that the body names; all of them exist.
  private func activities(_ fields: BodyFields) throws(APIError) -> [String] {
    let known = theater.plan.activities.keys.sorted()
    let names = try fields.texts("activities", hint: "There is: \(listed(known)).")
    for name in names where theater.plan.activities[name] == nil {
      throw APIError(TheaterError.unknown("activity", name, known))
    }
    return names
  }

  private func auditLog(_ request: RequestContext) async throws -> Response {
    let page = try await accountService.audit.page(
      newest: try request.query("limit", "1 to 1000", in: 1...1000) ?? 100,
      since: try request.query("since", "a time like 2026-01-31T00:00:00Z") {
        try? Date($0, strategy: .iso8601)
      },
      before: try request.query("before", "the \"before\" of an earlier answer") { text in
        Int64(text).flatMap { $0 > 0 ? $0 : nil }
      })
    var further = JSONObject()
    if let before = page.before { further["before"] = .integer(Int(before)) }
    return .list("entries", of: page.entries, further: further) { $0.json }
  }
}

extension JSONObject {
  /// Adds a link to the page and its QR code, which another person scans.
  fileprivate mutating func addLink(_ path: String, at address: String?) {
    guard let address, let code = QRCode(address + path) else { return }
    self["link"] = .string(address + path)
    self["qr"] = .array(code.rows.map { .string($0) })
  }
}

extension BodyFields {
  /// A role that an account can have.
  fileprivate func role(_ name: String) throws(APIError) -> AccountRole {
    let word = try requiredText(name)
    guard let role = AccountRole(rawValue: word), role != .guest else {
      throw .invalid("\"\(name)\" is \"\(word.quotation)\", expected \"member\" or \"owner\"")
    }
    return role
  }
}

extension Account {
  fileprivate var json: JSON {
    var object: JSONObject = [
      "id": .string(id.text), "name": .string(name.text), "email": .string(email.text),
      "role": .string(role.rawValue), "created": .string(createdAt.ISO8601Format()),
    ]
    if let ageLimit { object["ageLimit"] = .integer(ageLimit) }
    return .object(object)
  }
}

extension Invitation {
  fileprivate var members: JSONObject {
    [
      "id": .string(id.text), "role": .string(role.rawValue),
      "made": .string(madeAt.ISO8601Format()), "expires": .string(expires.ISO8601Format()),
    ]
  }
  fileprivate var json: JSON { .object(members) }
}

extension GuestPass {
  fileprivate var members: JSONObject {
    var object: JSONObject = [
      "id": .string(id.text), "name": .string(name.text),
      "activities": .array(activities.map { .string($0) }),
      "volumeLimit": .integer(volumeLimit),
    ]
    if let ageLimit { object["ageLimit"] = .integer(ageLimit) }
    if isWallTablet { object["wallTablet"] = true }
    object["made"] = .string(madeAt.ISO8601Format())
    object["expires"] = .string(expires.ISO8601Format())
    return object
  }
  fileprivate var json: JSON { .object(members) }
}

extension AuditEntry {
  /// The entry for the API. Characters that would disturb a terminal are escaped.
  fileprivate var json: JSON {
    var object: JSONObject = [
      "at": .string(at.ISO8601Format()), "deed": .string(action.rawValue),
      "outcome": .string(outcome.word.escapingDisturbing),
    ]
    if let actor {
      object["who"] = .string(actor.name.escapingDisturbing)
      object["proven"] = .bool(actor.account != nil)
    }
    if let subject { object["subject"] = .string(subject.escapingDisturbing) }
    object["address"] = .string(origin.address.escapingDisturbing)
    object["device"] = .string(origin.device.escapingDisturbing)
    if count > 1 {
      object["count"] = .integer(count)
      object["last"] = .string(last.ISO8601Format())
    }
    return .object(object)
  }
}
