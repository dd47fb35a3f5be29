import Foundation
import Testing

@testable import Accounts

@Suite struct PeopleTests {
  private let house: Household

  init() throws { house = try Household() }

  /// Registers and logs in somebody whom `owner` invited.
  private func invited(
    by owner: LoggedIn, _ email: String, as role: Role = .member
  ) async throws -> LoggedIn {
    let code = try await house.gate.invite(by: owner.principal, role: role).code
    _ = try await house.gate.register(.guest(code.text, email: email))
    return try await house.logIn(email)
  }

  private func now(_ loggedIn: LoggedIn) async throws(AccountError) -> Principal {
    try await house.gate.resolve(loggedIn.token.text)
  }

  private func isRefused(_ loggedIn: LoggedIn) async -> Bool {
    await refusal { () async throws(AccountError) in try await now(loggedIn) } == .notLoggedIn
  }

  @Test("E7 · an owner sees everybody; others do not")
  func list() async throws {
    let anna = try await house.ownerLogsIn()
    house.clock.advance(1)
    let ben = try await invited(by: anna, "ben@example.org")
    let people = try await house.gate.people(for: anna.principal)
    #expect(people.map(\.email.text) == ["anna@example.org", "ben@example.org"])
    #expect(people.map(\.role) == [.owner, .member])
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.people(for: ben.principal)
    }
    #expect(error?.code == .forbidden)
  }

  @Test("E7 · an invitation makes a member or an owner, expires when it says, and can be revoked")
  func invitations() async throws {
    let anna = try await house.ownerLogsIn()
    #expect(try await invited(by: anna, "cleo@example.org", as: .owner).principal.role == .owner)
    let short = try await house.gate.invite(by: anna.principal, validity: 3600)
    let long = try await house.gate.invite(by: anna.principal, validity: 7200)
    #expect(try await house.gate.openInvitations(for: anna.principal).count == 2)
    house.clock.advance(3600)
    #expect(
      try await house.gate.openInvitations(for: anna.principal).map(\.id) == [long.invitation.id])
    try await house.gate.revokeInvitation(long.invitation.id, by: anna.principal)
    for code in [short.code, long.code] {
      let error = await refusal { () async throws(AccountError) in
        try await house.gate.register(.guest(code.text))
      }
      #expect(error == .codeInvalid)
    }
    let again = await refusal { () async throws(AccountError) in
      try await house.gate.revokeInvitation(long.invitation.id, by: anna.principal)
    }
    #expect(again == .unknownInvitation)
    for validity in [TimeInterval(0), 59, 7_862_400, .infinity, .nan] {
      let error = await refusal { () async throws(AccountError) in
        try await house.gate.invite(by: anna.principal, validity: validity)
      }
      #expect(error?.code == .outOfRange)
    }
  }

  @Test("E7 · a changed role counts for sessions that are open")
  func roles() async throws {
    let anna = try await house.ownerLogsIn()
    let ben = try await invited(by: anna, "ben@example.org")
    try await house.gate.setRole(.owner, of: ben.principal.account, by: anna.principal)
    #expect(try await now(ben).role == .owner)
    try await house.gate.setRole(.member, of: ben.principal.account, by: anna.principal)
    #expect(try await now(ben).role == .member)
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.setRole(.owner, of: ben.principal.account, by: now(ben))
    }
    #expect(error?.code == .forbidden)
    let guest = await refusal { () async throws(AccountError) in
      try await house.gate.setRole(.guest, of: ben.principal.account, by: anna.principal)
    }
    #expect(guest?.code == .outOfRange)
  }

  @Test("E7 · who is no owner any more has let nobody else in: invitations and passes are void")
  func demotedOwner() async throws {
    let anna = try await house.ownerLogsIn()
    let cleo = try await invited(by: anna, "cleo@example.org", as: .owner)
    let invitation = try await house.gate.invite(by: cleo.principal, role: .owner)
    let pass = try await house.gate.makeGuestPass(.music, by: cleo.principal)
    let guest = try await house.gate.enter(withGuestPass: pass.code.text)
    try await house.gate.setRole(.member, of: cleo.principal.account, by: anna.principal)
    #expect(await isRefused(guest))
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.register(.guest(invitation.code.text))
    }
    #expect(error == .codeInvalid)
    // A request of theirs that was under way hands nothing out either.
    let late = await refusal { () async throws(AccountError) in
      try await house.gate.invite(by: cleo.principal, role: .owner)
    }
    #expect(late?.code == .forbidden)
    let latePass = await refusal { () async throws(AccountError) in
      try await house.gate.makeGuestPass(.music, by: cleo.principal)
    }
    #expect(latePass?.code == .forbidden)
  }

  @Test("E7 · an account that is removed is out at once, and its address is free again")
  func removal() async throws {
    let anna = try await house.ownerLogsIn()
    let ben = try await invited(by: anna, "ben@example.org")
    let told = house.gate.events.subscribe()
    try await house.gate.remove(ben.principal.account, by: anna.principal)
    #expect(await isRefused(ben))
    #expect(await told.first { _ in true } == .loggedOut(ben.principal))
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.logIn(
        PasswordCredentials(email: "ben@example.org", password: Household.password))
    }
    #expect(error == .wrongCredentials)
    let again = await refusal { () async throws(AccountError) in
      try await house.gate.remove(ben.principal.account, by: anna.principal)
    }
    #expect(again == .unknownAccount)
    #expect(try await invited(by: anna, "ben@example.org").principal.name == "Ben")
  }

  @Test("E7 · a member removes their own account and nobody else's")
  func ownRemoval() async throws {
    let anna = try await house.ownerLogsIn()
    let ben = try await invited(by: anna, "ben@example.org")
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.remove(anna.principal.account, by: ben.principal)
    }
    #expect(error?.code == .forbidden)
    try await house.gate.remove(ben.principal.account, by: ben.principal)
    #expect(await isRefused(ben))
  }

  @Test("E7 · the last owner can neither leave nor step down")
  func lastOwner() async throws {
    let anna = try await house.ownerLogsIn()
    _ = try await invited(by: anna, "ben@example.org")
    let step = await refusal { () async throws(AccountError) in
      try await house.gate.setRole(.member, of: anna.principal.account, by: anna.principal)
    }
    #expect(step == .lastOwner)
    let leave = await refusal { () async throws(AccountError) in
      try await house.gate.remove(anna.principal.account, by: anna.principal)
    }
    #expect(leave == .lastOwner)
    #expect(try await now(anna).role == .owner)
  }

  @Test("E7 · of 50 owners who all step down or leave at once, one or more remain")
  func parallel() async throws {
    let anna = try await house.ownerLogsIn()
    var owners = [anna]
    for index in 1..<10 {
      owners.append(try await invited(by: anna, "owner\(index)@example.org", as: .owner))
    }
    await withTaskGroup { [house] group in
      for index in 0..<50 {
        let one = owners[index % owners.count].principal
        group.addTask {
          _ = await refusal { () async throws(AccountError) in
            if index.isMultiple(of: 2) {
              try await house.gate.remove(one.account, by: one)
            } else {
              try await house.gate.setRole(.member, of: one.account, by: one)
            }
          }
        }
      }
    }
    #expect(try await house.stores.people.people().filter { $0.role == .owner }.count == 1)
  }

  @Test("E7 · an age limit and a name count for sessions that are open")
  func profile() async throws {
    let anna = try await house.ownerLogsIn()
    let ben = try await invited(by: anna, "ben@example.org")
    try await house.gate.setAgeLimit(12, of: ben.principal.account, by: anna.principal)
    #expect(try await now(ben).ageLimit == 12)
    #expect(try await house.restarted().resolve(ben.token.text).ageLimit == 12)
    try await house.gate.setAgeLimit(nil, of: ben.principal.account, by: anna.principal)
    #expect(try await now(ben).ageLimit == nil)
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.setAgeLimit(22, of: ben.principal.account, by: anna.principal)
    }
    #expect(error?.code == .outOfRange)
    let member = await refusal { () async throws(AccountError) in
      try await house.gate.setAgeLimit(nil, of: ben.principal.account, by: ben.principal)
    }
    #expect(member?.code == .forbidden)
    try await house.gate.setName(" Benjamin ", by: ben.principal)
    #expect(try await now(ben).name == "Benjamin")
  }
}

@Suite struct GuestTests {
  private let house: Household

  init() throws { house = try Household() }

  private func isRefused(_ loggedIn: LoggedIn, at gate: Gate? = nil) async -> Bool {
    await refusal { () async throws(AccountError) in
      try await (gate ?? house.gate).resolve(loggedIn.token.text)
    } == .notLoggedIn
  }

  @Test("E1 · a pass opens sessions until it expires, each for a day at most")
  func lifetime() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.gate.makeGuestPass(.music, by: owner.principal)
    let first = try await house.gate.enter(withGuestPass: pass.code.text)
    #expect(first.principal.role == .guest)
    #expect(first.principal.name == "Visitors")
    #expect(first.principal.email == nil)
    #expect(first.principal.pass == pass.pass)
    #expect(first.principal.expires == house.clock.now.addingTimeInterval(86_400))
    house.clock.advance(86_399)
    #expect(await !isRefused(first, at: house.restarted()))
    house.clock.advance(1)
    #expect(await isRefused(first))
    #expect(await isRefused(first, at: house.restarted()))
    // Two days after it was made the pass is over, and every session with it.
    house.clock.advance(86_399 / 2)
    let link = "http://livingroom.local:8080/guest#\(pass.code.text)"
    let second = try await house.gate.enter(withGuestPass: link)
    #expect(second.principal.expires == pass.pass.expires)
    house.clock.advance(86_400)
    #expect(await isRefused(second))
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.enter(withGuestPass: pass.code.text)
    }
    #expect(error == .guestPassInvalid)
  }

  @Test("E1 · a guest's session does not outlive a day by a clock that was set back")
  func clockBack() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.gate.makeGuestPass(.music, by: owner.principal)
    let guest = try await house.gate.enter(withGuestPass: pass.code.text)
    house.clock.set(house.clock.now.addingTimeInterval(-3650 * 86_400))
    house.clock.advance(86_400)
    #expect(await isRefused(guest))
  }

  @Test("A10 · a pass that is taken back ends its sessions at once, and opens none")
  func revoked() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.gate.makeGuestPass(.music, by: owner.principal)
    let other = try await house.gate.makeGuestPass(.music, by: owner.principal)
    let guest = try await house.gate.enter(withGuestPass: pass.code.text)
    let stays = try await house.gate.enter(withGuestPass: other.code.text)
    #expect(try await house.gate.guestPasses(for: owner.principal).count == 2)
    let told = house.gate.events.subscribe()
    try await house.gate.revokeGuestPass(pass.pass.id, by: owner.principal)
    #expect(await isRefused(guest))
    #expect(await isRefused(guest, at: house.restarted()))
    #expect(await !isRefused(stays))
    #expect(await told.first { _ in true } == .loggedOut(guest.principal))
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.enter(withGuestPass: pass.code.text)
    }
    #expect(error == .guestPassInvalid)
    #expect(try await house.gate.guestPasses(for: owner.principal).map(\.id) == [other.pass.id])
  }

  @Test("E7 · an invitation is no guest pass, a pass no invitation, and neither is a mistyped one")
  func confusion() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.gate.makeGuestPass(.music, by: owner.principal)
    let invitation = try await house.gate.invite(by: owner.principal)
    for typed in [invitation.code.text, "", "#", "nonsense", "0000-0000-0000-0000-0000"] {
      let error = await refusal { () async throws(AccountError) in
        try await house.gate.enter(withGuestPass: typed)
      }
      #expect(error == .guestPassInvalid)
    }
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.register(.guest(pass.code.text))
    }
    #expect(error == .codeInvalid)
  }

  @Test("E1 · on a full disk a pass that is taken back ends its sessions at once too")
  func revokedOnFullDisk() async throws {
    let owner = try await house.ownerLogsIn()
    var stores = house.stores
    stores.guestPasses = FullPassStore(base: house.stores.guestPasses)
    let gate = Gate(
      stores: stores, hashing: Household.cheap, clock: house.clock.wall, steady: house.clock.steady)
    let pass = try await gate.makeGuestPass(.music, by: owner.principal)
    let guest = try await gate.enter(withGuestPass: pass.code.text)
    let told = gate.events.subscribe()
    let error = await refusal { () async throws(AccountError) in
      try await gate.revokeGuestPass(pass.pass.id, by: owner.principal)
    }
    #expect(error?.code == .storageFull)
    #expect(await isRefused(guest, at: gate))
    #expect(await told.first { _ in true } == .loggedOut(guest.principal))
    // With room again the call is repeated, and is whole.
    try await house.gate.revokeGuestPass(pass.pass.id, by: owner.principal)
    let again = await refusal { () async throws(AccountError) in
      try await gate.enter(withGuestPass: pass.code.text)
    }
    #expect(again == .guestPassInvalid)
  }

  @Test("E1 · what is no guest pass ends nobody's sessions")
  func revokedAccount() async throws {
    let owner = try await house.ownerLogsIn()
    let error = await refusal { () async throws(AccountError) in
      try await house.gate.revokeGuestPass(owner.principal.account, by: owner.principal)
    }
    #expect(error == .unknownGuestPass)
    #expect(await !isRefused(owner))
  }

  @Test("E1 · guests hand out nothing and prove nothing")
  func guestsMayNot() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.gate.makeGuestPass(.music, by: owner.principal)
    let guest = try await house.gate.enter(withGuestPass: pass.code.text)
    let errors = [
      await refusal { () async throws(AccountError) in
        try await house.gate.makeGuestPass(.music, by: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await house.gate.invite(by: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await house.gate.people(for: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await house.gate.prove(guest.token.text, password: Household.password)
      },
    ]
    #expect(errors.map { $0?.code } == Array(repeating: .forbidden, count: 4))
    let name = await refusal { () async throws(AccountError) in
      try await house.gate.setName("Eve", by: guest.principal)
    }
    #expect(name == .unknownAccount)
  }

  @Test("E1 · a pass without activities, too loud, too long or nameless is refused")
  func wrong() async throws {
    let owner = try await house.ownerLogsIn()
    let wrong = [
      GuestPassRequest(
        name: "A", activities: [], volumeLimit: 40, ageLimit: nil, validity: 3600),
      GuestPassRequest(
        name: "A", activities: ["music"], volumeLimit: 101, ageLimit: nil, validity: 3600),
      GuestPassRequest(
        name: "A", activities: ["music"], volumeLimit: 40, ageLimit: -1, validity: 3600),
      GuestPassRequest(
        name: "A", activities: ["music"], volumeLimit: 40, ageLimit: nil, validity: 31 * 86_400),
      GuestPassRequest(
        name: " ", activities: ["music"], volumeLimit: 40, ageLimit: nil, validity: 3600),
    ]
    for request in wrong {
      let error = await refusal { () async throws(AccountError) in
        try await house.gate.makeGuestPass(request, by: owner.principal)
      }
      #expect(error?.code == .outOfRange || error?.code == .empty)
    }
    #expect(try await house.gate.guestPasses(for: owner.principal).isEmpty)
  }
}

/// Guest passes on a disk that is full when one is to be forgotten.
private struct FullPassStore: GuestPassStore {
  let base: any GuestPassStore

  func insert(_ pass: GuestPass, digest: SecretDigest) async throws(AccountError) {
    try await base.insert(pass, digest: digest)
  }
  func guestPass(digest: SecretDigest) async throws(AccountError) -> GuestPass? {
    try await base.guestPass(digest: digest)
  }
  func guestPasses() async throws(AccountError) -> [GuestPass] { try await base.guestPasses() }
  func deleteGuestPass(_ id: AccountID) async throws(AccountError) -> [Session] {
    throw AccountError(.storageFull, message: "full", hint: "free")
  }
}

extension GuestPassRequest {
  /// Music for two days.
  static let music = GuestPassRequest(
    name: "Visitors", activities: ["music"], volumeLimit: 40, ageLimit: nil,
    validity: 2 * 86_400)
}
