import AccountTestSupport
import Testing

@testable import Accounts

/// Guest passes as owners make them and take them back.
@Suite(.fromTerminal) struct GuestPassTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("A10 · a revoked pass ends its sessions at once, and opens none")
  func revoked() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let other = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let guest = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    let stays = try await household.accountService.guestPasses.logIn(with: other.code.text)
    #expect(try await household.accountService.guestPasses.list(for: owner.principal).count == 2)
    let events = household.accountService.events.subscribe()
    try await household.accountService.guestPasses.revoke(pass.pass.id, by: owner.principal)
    #expect(await household.isRefused(guest))
    #expect(await household.isRefused(guest, at: household.restarted()))
    #expect(await !household.isRefused(stays))
    #expect(await events.first { _ in true } == .loggedOut(guest.principal))
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.guestPasses.logIn(with: pass.code.text)
    }
    #expect(error == .guestPassInvalid)
    #expect(
      try await household.accountService.guestPasses.list(for: owner.principal).map(\.id) == [
        other.pass.id
      ])
  }

  @Test("E1 · a revoked pass ends its sessions at once on a full disk too")
  func revokedOnFullDisk() async throws {
    let owner = try await household.ownerLogsIn()
    var stores = household.stores
    stores.guestPasses = FullPassStore(base: household.stores.guestPasses)
    let accountService = AccountService(
      stores: stores, hashing: Household.cheap, clock: household.clock.wall,
      steady: household.clock.steady)
    let pass = try await accountService.guestPasses.make(.music, by: owner.principal)
    let guest = try await accountService.guestPasses.logIn(with: pass.code.text)
    let events = accountService.events.subscribe()
    let error = await refusal { () async throws(AccountError) in
      try await accountService.guestPasses.revoke(pass.pass.id, by: owner.principal)
    }
    #expect(error?.code == .storageFull)
    #expect(await household.isRefused(guest, at: accountService))
    #expect(await events.first { _ in true } == .loggedOut(guest.principal))
    // With room again the call is repeated, and is whole.
    try await household.accountService.guestPasses.revoke(pass.pass.id, by: owner.principal)
    let again = await refusal { () async throws(AccountError) in
      try await accountService.guestPasses.logIn(with: pass.code.text)
    }
    #expect(again == .guestPassInvalid)
  }

  @Test("E1 · revoking an unknown guest pass ends no session")
  func revokedAccount() async throws {
    let owner = try await household.ownerLogsIn()
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.guestPasses.revoke(
        owner.principal.account, by: owner.principal)
    }
    #expect(error == .unknownGuestPass)
    #expect(await !household.isRefused(owner))
  }

  @Test(
    "accepts neither an invitation as a guest pass, nor a pass as an invitation, nor a mistyped code"
  )
  func confusion() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let invitation = try await household.accountService.invitations.make(by: owner.principal)
    for typed in [invitation.code.text, "", "#", "nonsense", "0000-0000-0000-0000-0000"] {
      let error = await refusal { () async throws(AccountError) in
        try await household.accountService.guestPasses.logIn(with: typed)
      }
      #expect(error == .guestPassInvalid)
    }
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(.guest(pass.code.text))
    }
    #expect(error == .codeInvalid)
  }

  @Test("E1 · a pass without activities, too loud, too long or nameless is refused")
  func wrong() async throws {
    let owner = try await household.ownerLogsIn()
    func request(
      name: String = "A", activities: [String] = ["music"], volume: Int = 40, age: Int? = nil,
      validity: Double = 3600
    ) -> GuestPassRequest {
      GuestPassRequest(
        name: name, activities: activities, volumeLimit: volume, ageLimit: age, validity: validity)
    }
    let wrong: [(GuestPassRequest, AccountError.Code)] = [
      (request(activities: []), .outOfRange), (request(volume: 101), .outOfRange),
      (request(age: -1), .outOfRange), (request(validity: 31 * 86_400), .outOfRange),
      (request(name: " "), .empty),
    ]
    for (request, code) in wrong {
      let error = await refusal { () async throws(AccountError) in
        try await household.accountService.guestPasses.make(request, by: owner.principal)
      }
      #expect(error?.code == code)
    }
    #expect(try await household.accountService.guestPasses.list(for: owner.principal).isEmpty)
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
