import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

/// Requests for codes to a person's address do not keep that person from getting a code.
@Suite(.fromTerminal) struct SendBudgetTests {
  private let household: Household

  init() throws { household = try Household() }

  /// The answer to a request for a login code.
  private enum Answer: Hashable {
    case sent(next: Duration)
    case refused(AccountError.Code, after: Int?)

    var isSent: Bool { if case .sent = self { true } else { false } }
  }

  private func ask(
    _ email: String = "anna@example.org", from address: String, device: DeviceToken? = nil,
    at accountService: AccountService? = nil, toReset: Bool = false
  ) async throws -> Answer {
    let destination = CodeDestination.email(try EmailAddress(email))
    let accountService = accountService ?? household.accountService
    do throws(AccountError) {
      let request = try await asking(from: address, device: device) { () throws(AccountError) in
        if toReset { return try await accountService.passwords.beginReset(destination) }
        return try await accountService.sendLoginCode(to: destination)
      }
      return .sent(next: request.resendWait)
    } catch {
      return .refused(error.code, after: error.retryAfter)
    }
  }

  /// Asks five times, as soon as it is possible; gives back the last answer.
  @discardableResult
  private func askFiveTimes(
    _ email: String = "anna@example.org", from address: String
  ) async throws -> Answer {
    var last = Answer.sent(next: .zero)
    for _ in 0..<5 {
      last = try await ask(email, from: address)
      if case .sent(let wait) = last, wait <= .seconds(120) {
        household.clock.advance(TimeInterval(wait.wholeSeconds))
      }
    }
    return last
  }

  /// The owner, with a verified address, and a device that is known.
  private func verified() async throws -> (principal: SessionPrincipal, device: DeviceToken) {
    let loggedIn = try await household.ownerLogsIn()
    let request = try await household.accountService.contacts.sendEmailCode(
      to: nil, by: loggedIn.principal)
    try await household.accountService.contacts.confirm(
      household.sentMessages.code ?? "", of: request.id.text, for: .verifyEmail,
      by: loggedIn.principal)
    return (loggedIn.principal, try #require(loggedIn.device))
  }

  @Test(
    "D8 D11 · requests for codes to another person's address use up the requester's sends, not that person's"
  )
  func ownBudgets() async throws {
    let (_, device) = try await verified()
    try await askFiveTimes(from: "192.168.1.66")
    let stranger = try await ask(from: "192.168.1.66")
    guard case .refused(.tooEarly, after: let wait?) = stranger else {
      return #expect(Bool(false), "\(stranger)")
    }
    #expect((3000...3600).contains(wait))
    let sent = household.sentMessages.messages.count
    #expect(try await ask(from: "192.168.1.20") == .sent(next: .seconds(30)))
    #expect(try await ask(from: "192.168.1.66", device: device) == .sent(next: .seconds(30)))
    #expect(try await ask(from: "local (uid 1000)") == .sent(next: .seconds(30)))
    #expect(household.sentMessages.messages.count == sent + 3)
    // Each of them has waits of their own.
    for address in ["192.168.1.20", "local (uid 1000)"] {
      #expect(try await ask(from: address) == .refused(.tooEarly, after: 30))
    }
    #expect(
      try await ask(from: "192.168.1.66", device: device) == .refused(.tooEarly, after: 30))
  }

  @Test("D8 · a code requested by a stranger does not void another person's code")
  func ownCodes() async throws {
    _ = try await verified()
    let mail = CodeDestination.email(try EmailAddress("anna@example.org"))
    let request = try await asking(from: "192.168.1.20") { () throws(AccountError) in
      try await household.accountService.sendLoginCode(to: mail)
    }
    let code = try #require(household.sentMessages.code)
    #expect(try await ask(from: "192.168.1.66").isSent)
    #expect(household.sentMessages.code != nil)
    let loggedIn = try await asking(from: "192.168.1.20") { () throws(AccountError) in
      try await household.accountService.logIn(
        CodeCredentials(request: request.id.text, code: code))
    }
    #expect(loggedIn.principal.name == "Anna")
  }

  /// Asks from sources one after the other, each until it is to wait for longer than a resend.
  /// - Returns: how many each had sent.
  private func askFrom(_ hosts: ClosedRange<Int>) async throws -> [Int] {
    var counts: [Int] = []
    for host in hosts {
      var count = 0
      while case .sent(let wait) = try await ask(from: "192.168.1.\(host)") {
        count += 1
        guard wait <= .seconds(120) else { break }
        household.clock.advance(TimeInterval(wait.wholeSeconds))
      }
      counts.append(count)
    }
    return counts
  }

  @Test(
    "D8 D11 · one or two strangers leave a third a code; all have twelve sends an hour for an address"
  )
  func strangersTogether() async throws {
    let (principal, device) = try await verified()
    #expect(try await askFrom(66...70) == [5, 4, 2, 1, 0])
    guard case .refused(.tooEarly, after: _) = try await ask(from: "192.168.1.71") else {
      return #expect(Bool(false))
    }
    #expect(try await ask(from: "192.168.1.71", device: device).isSent)
    #expect(try await ask(from: "local").isSent)
    _ = try await household.accountService.contacts.sendEmailCode(to: nil, by: principal)
    // Another address is another budget, and an hour later there is room again.
    #expect(try await ask("ben@example.org", from: "192.168.1.71").isSent)
    household.clock.advance(3600)
    #expect(try await ask(from: "192.168.1.71").isSent)
  }

  @Test(
    "D8 D11 · twelve sends an hour for an address are all, whatever for, and however it is spelt")
  func allPurposes() async throws {
    _ = try await verified()
    let before = household.sentMessages.messages.count
    let spellings = ["anna@example.org", "ANNA@example.org", "anna@Example.ORG"]
    var sent = 0
    for attempt in 0..<60 {
      let answer = try await ask(
        spellings[attempt % 3], from: "192.168.1.\(66 + attempt / 6)",
        toReset: attempt.isMultiple(of: 2))
      guard case .sent(let wait) = answer else { continue }
      sent += 1
      if wait <= .seconds(120) { household.clock.advance(TimeInterval(wait.wholeSeconds)) }
    }
    #expect(sent == 12)
    #expect(household.sentMessages.messages.count == before + 12)
  }

  @Test("D8 · a code for one purpose makes none for another wait or void; five an hour are all")
  func otherPurpose() async throws {
    let (_, device) = try await verified()
    for (address, device) in [("192.168.1.66", nil), ("local", nil), ("192.168.1.67", device)] {
      let mail = CodeDestination.email(try EmailAddress("anna@example.org"))
      let request = try await asking(from: address, device: device) { () throws(AccountError) in
        try await household.accountService.sendLoginCode(to: mail)
      }
      let code = try #require(household.sentMessages.code)
      #expect(
        try await ask(from: address, device: device, toReset: true) == .sent(next: .seconds(30)))
      let loggedIn = try await asking(from: address) { () throws(AccountError) in
        try await household.accountService.logIn(
          CodeCredentials(request: request.id.text, code: code))
      }
      #expect(loggedIn.principal.name == "Anna")
      for toReset in [false, true, false] {
        household.clock.advance(120)
        #expect(
          try await ask(from: address, device: device, toReset: toReset).isSent, "\(address)")
      }
      household.clock.advance(120)
      guard
        case .refused(.tooEarly, after: let wait?) = try await ask(
          from: address, device: device, toReset: true)
      else { return #expect(Bool(false), "\(address)") }
      #expect(wait == 3600 - 480)
      household.clock.advance(3600)
    }
  }

  @Test("D8 · two sources that keep requesting codes leave a third source its code")
  func steadyAskers() async throws {
    _ = try await verified()
    for minute in 1...240 {
      household.clock.advance(60)
      for host in [66, 67] { _ = try await ask(from: "192.168.1.\(host)") }
      guard minute.isMultiple(of: 30) else { continue }
      #expect(try await ask(from: "192.168.1.\(100 + minute)").isSent, "after \(minute) minutes")
    }
    #expect(household.sentMessages.messages.count <= 1 + 5 * 12)
  }

  @Test("D8 · the wait that a source is told is the one after which its share has room")
  func toldWait() async throws {
    _ = try await verified()
    _ = try await askFrom(66...68)
    guard case .refused(.tooEarly, after: let wait?) = try await ask(from: "192.168.1.68") else {
      return #expect(Bool(false))
    }
    household.clock.advance(TimeInterval(wait - 1))
    #expect(try await !ask(from: "192.168.1.68").isSent)
    household.clock.advance(1)
    #expect(try await ask(from: "192.168.1.68").isSent)
  }

  @Test("D8 N-E3 · all answers are the same for an unknown address")
  func unknownAlike() async throws {
    _ = try await verified()
    var answers: [[Answer]] = []
    for (email, network) in [("anna@example.org", 1), ("nobody@example.org", 2)] {
      let household = try Household()
      let accountService = network == 1 ? self.household.accountService : household.accountService
      let clock = network == 1 ? self.household.clock : household.clock
      var heard: [Answer] = []
      for host in [66, 67, 68] {
        for _ in 0..<6 {
          let answer = try await ask(email, from: "192.168.1.\(host)", at: accountService)
          heard.append(answer)
          if case .sent(let wait) = answer, wait <= .seconds(120) {
            clock.advance(TimeInterval(wait.wholeSeconds))
          }
        }
      }
      answers.append(heard)
    }
    #expect(answers[0] == answers[1])
    #expect(answers[0].count(where: \.isSent) == 11)
  }

  @Test("one source has thirty codes an hour sent, to whatever addresses; another does not wait")
  func oneSource() async throws {
    let (_, device) = try await verified()
    for person in 0..<30 {
      #expect(try await ask("person\(person)@example.org", from: "2001:db8::\(person)").isSent)
    }
    guard case .refused(.tooEarly, after: let wait?) = try await ask(from: "2001:db8::99") else {
      return #expect(Bool(false))
    }
    #expect(wait == 3600)
    #expect(try await ask(from: "2001:db8:0:1::1").isSent)
    #expect(try await ask(from: "2001:db8::99", device: device).isSent)
    household.clock.advance(3600)
    #expect(try await ask(from: "2001:db8::99").isSent)
  }

  @Test("with too many pending codes strangers wait, but no known device, session or terminal")
  func tooManyCodes() async throws {
    let household = try Household(codes: CodePolicy(mostCodes: 3))
    let loggedIn = try await household.ownerLogsIn()
    for host in 1...3 {
      #expect(
        try await ask("person@example.org", from: "10.0.0.\(host)", at: household.accountService)
          .isSent
      )
    }
    #expect(
      try await ask(from: "10.0.0.4", at: household.accountService) == .refused(.busy, after: nil))
    let device = loggedIn.device
    #expect(try await ask(from: "10.0.0.4", device: device, at: household.accountService).isSent)
    #expect(try await ask(from: "local", at: household.accountService).isSent)
    _ = try await household.accountService.contacts.sendEmailCode(to: nil, by: loggedIn.principal)
    household.clock.advance(600)
    #expect(try await ask(from: "10.0.0.4", at: household.accountService).isSent)
  }

  @Test("a new password or address voids the open login codes")
  func voided() async throws {
    let (principal, _) = try await verified()
    let mail = CodeDestination.email(try EmailAddress("anna@example.org"))
    func entry() async throws -> CodeCredentials {
      let request = try await household.accountService.sendLoginCode(to: mail)
      return CodeCredentials(request: request.id.text, code: household.sentMessages.code ?? "")
    }
    func isVoid(_ credentials: CodeCredentials) async -> Bool {
      await refusal { () async throws(AccountError) in
        try await household.accountService.logIn(credentials)
      } == .codeExpired
    }
    let first = try await entry()
    try await household.accountService.passwords.change(
      Household.password, to: "another evening with friends", by: principal)
    #expect(await isVoid(first))
    household.clock.advance(30)
    let change = try await household.accountService.contacts.sendEmailCode(
      to: "new@example.org", by: principal)
    let code = household.sentMessages.code ?? ""
    let second = try await entry()
    try await household.accountService.contacts.confirm(
      code, of: change.id.text, for: .verifyEmail, by: principal)
    #expect(await isVoid(second))
  }
}
