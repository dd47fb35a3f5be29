import AccountTestSupport
import Foundation
import Storage
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct OneTimeCodeTests {
  private let clock = AccountClock()
  private let sentMessages = SentMessages()
  private let store: AccountDatabase
  private let codes: OneTimeCodes
  private let anna = AccountID("anna")
  private let account: Account
  private let mail: CodeDestination

  init() async throws {
    let database = try TheaterDatabase(inMemory: clock.wall)
    store = AccountDatabase(database)
    codes = OneTimeCodes(
      store: store, key: database.accountStores.key, delivery: sentMessages,
      rateLimiter: RateLimiter(
        attempts: store, devices: store, audit: AuditLog(store: store, clock: clock.wall),
        clock: clock.steady, random: .system),
      policy: .standard, steady: clock.steady, clock: clock.wall, random: .system)
    let address = try EmailAddress("anna@example.org")
    mail = .email(address)
    account = Account(
      id: anna, name: try DisplayName("Anna"), email: address, role: .owner,
      createdAt: Date(milliseconds: 0))
    try await store.insertFirst(
      AccountRecord(account: account, passwordHash: PasswordHash("unused")))
  }

  private func send(_ purpose: CodePurpose = .verifyEmail) async throws -> (
    id: String, code: String
  ) {
    let request = try await codes.send(to: mail, of: anna, for: purpose)
    return (request.id.text, try #require(sentMessages.code))
  }

  private func sendRefusal() async -> AccountError? {
    await refusal { () async throws(AccountError) in
      try await codes.send(to: mail, of: anna, for: .verifyEmail)
    }
  }

  private func check(
    _ typed: String, _ id: String, _ purpose: CodePurpose = .verifyEmail
  ) async -> AccountError? {
    await refusal { () async throws(AccountError) in
      try await codes.check(typed, of: id, for: purpose)
    }
  }

  @Test("D8 · a code has six digits, each as likely as any, from the source for secrets")
  func digits() throws {
    var counts = [Int](repeating: 0, count: 10)
    for _ in 0..<2000 {
      let code = OneTimeCode(digits: 6, from: .system).text
      #expect(code.wholeMatch(of: /[0-9]{6}/) != nil)
      for digit in code { counts[try #require(digit.wholeNumberValue)] += 1 }
    }
    // 12,000 digits: 1,200 of each, give or take six standard deviations (33 each).
    #expect(counts.allSatisfy { (1000...1400).contains($0) })
    // Bytes that would favour small digits are passed over.
    let source = RandomSource { count in (0..<count).map { $0.isMultiple(of: 2) ? 255 : 7 } }
    #expect(OneTimeCode(digits: 6, from: source).text == "777777")
  }

  @Test("D8 · the right code is accepted, with spaces too, and is then used up")
  func once() async throws {
    let (id, code) = try await send()
    #expect(code.utf8.count == 6)
    let spaced = " \(code.prefix(3)) \(code.suffix(3))\n"
    let found = try await codes.check(spaced, of: id, for: .verifyEmail)
    #expect(found.account == anna)
    #expect(found.destination == mail)
    try await codes.redeem(found)
    #expect(await check(code, id) == .codeExpired)
    let again = await refusal { () async throws(AccountError) in try await codes.redeem(found) }
    #expect(again == .codeExpired)
  }

  @Test("D8 · of 20 simultaneous uses of one right code, one succeeds")
  func race() async throws {
    let (id, code) = try await send()
    let outcomes = await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          await refusal { () async throws(AccountError) in
            try await codes.redeem(codes.check(code, of: id, for: .verifyEmail))
          }
        }
      }
      return await group.reduce(into: [AccountError?]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .codeExpired } == 19)
  }

  @Test("D8 · the fifth wrong attempt voids a code; a malformed code is no attempt")
  func tries() async throws {
    let (id, code) = try await send()
    for typed in ["", "12345", "1234567", "abcdef", "１２３４５６", String(repeating: "1", count: 9_999)]
    {
      let error = await check(typed, id)
      #expect(error?.code == (typed.isEmpty ? .empty : .malformed))
      #expect(error?.field == .code)
    }
    for left in [4, 3, 2, 1] {
      #expect(await check(code.wrong, id) == .codeWrong(triesLeft: left))
    }
    #expect(await check(code.wrong, id) == .codeExpired)
    #expect(await check(code, id) == .codeExpired)
  }

  @Test("D8 · of 40 wrong tries at once no more than five are counted before the code is void")
  func parallelTries() async throws {
    let (id, code) = try await send()
    let outcomes = await withTaskGroup { group in
      for _ in 0..<40 { group.addTask { await check(code.wrong, id)?.code } }
      return await group.reduce(into: [AccountError.Code?]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .codeWrong } == 4)
    #expect(outcomes.count { $0 == .codeExpired } == 36)
    #expect(await check(code, id) == .codeExpired)
  }

  @Test("D8 · a code is good with its own request and for its own purpose alone")
  func bound() async throws {
    let (id, code) = try await send(.resetPassword)
    #expect(await check(code, id, .logIn) == .codeExpired)
    #expect(await check(code, String(repeating: "0", count: 32), .resetPassword) == .codeExpired)
    #expect(await check(code, "", .resetPassword) == .codeExpired)
    #expect(await check(code, id, .resetPassword) == nil)
  }

  @Test("D8 · a code is good for ten minutes")
  func expiry() async throws {
    let (id, code) = try await send()
    clock.advance(599)
    #expect(await check(code, id) == nil)
    clock.advance(1)
    #expect(await check(code, id) == .codeExpired)
  }

  @Test("D8 · a new code voids the old one, and brings its own tries")
  func replaced() async throws {
    let old = try await send()
    for _ in 0..<4 { _ = await check(old.code.wrong, old.id) }
    clock.advance(30)
    let new = try await send()
    #expect(await check(old.code, old.id) == .codeExpired)
    #expect(await check(new.code.wrong, new.id) == .codeWrong(triesLeft: 4))
    #expect(await check(new.code, new.id) == nil)
  }

  @Test("D6 D8 · the next code can be sent after 30, 60, then 120 s, and five times an hour")
  func waits() async throws {
    for wait in [30, 60, 120, 120] {
      let request = try await codes.send(to: mail, of: anna, for: .verifyEmail)
      #expect(request.resendWait == .seconds(wait))
      clock.advance(Double(wait) - 0.001)
      #expect(await sendRefusal() == .tooEarly(.milliseconds(1)))
      clock.advance(0.001)
    }
    // The fifth, 330 s after the first: the sixth has to wait until the first is an hour old.
    let fifth = try await codes.send(to: mail, of: anna, for: .verifyEmail)
    #expect(fifth.resendWait == .seconds(3600 - 330))
    clock.advance(3600 - 331)
    #expect(await sendRefusal()?.retryAfter == 1)
    clock.advance(1)
    #expect(await sendRefusal() == nil)
    #expect(sentMessages.messages.count == 6)
  }

  @Test("D6 D11 · a wrong code does not extend the wait for a new one")
  func wrongCode() async throws {
    let (id, code) = try await send()
    clock.advance(29)
    _ = await check(code.wrong, id)
    #expect(await sendRefusal()?.retryAfter == 1)
    clock.advance(1)
    #expect(await sendRefusal() == nil)
  }

  @Test(
    "D8 · setting the clock ten years forward or back changes no validity and no wait",
    arguments: [-10.0, 10.0])
  func clockJump(years: Double) async throws {
    let (id, code) = try await send()
    _ = await check(code.wrong, id)
    clock.set(clock.now.addingTimeInterval(years * 365.25 * 86_400))
    #expect(await sendRefusal()?.retryAfter == 30)
    #expect(await check(code.wrong, id) == .codeWrong(triesLeft: 3))
    clock.advance(30)
    #expect(await check(code, id) == nil)
    clock.advance(570)
    #expect(await check(code, id) == .codeExpired)
  }

  @Test("D8 · after a restart of the machine codes are void and waits begin anew, then pass")
  func reboot() async throws {
    let (id, code) = try await send()
    clock.advance(29)
    clock.reboot()
    #expect(await check(code, id) == .codeExpired)
    #expect(await sendRefusal()?.retryAfter == 30)
    clock.advance(29)
    #expect(await sendRefusal()?.retryAfter == 1)
    clock.advance(1)
    #expect(await sendRefusal() == nil)
  }

  @Test("D8 · void codes and old sends are forgotten at the start")
  func tidy() async throws {
    let (id, code) = try await send()
    try await codes.deleteVoid()
    #expect(await check(code, id) == nil)
    clock.reboot()
    try await codes.deleteVoid()
    clock.advance(30)
    #expect(await sendRefusal() == nil)
  }

  @Test(
    "D8 · a request for an unknown address gets the same answer and wait, and sends nothing")
  func decoy() async throws {
    let stranger = try EmailAddress("nobody@example.org")
    func ask(_ address: EmailAddress, _ account: Account?) async -> Result<
      CodeRequest, AccountError
    > {
      do throws(AccountError) {
        return .success(try await codes.enqueue(to: .email(address), of: account, for: .logIn))
      } catch { return .failure(error) }
    }
    let known = account.email
    let answers = (try await ask(known, account).get(), try await ask(stranger, nil).get())
    #expect(answers.0.digits == answers.1.digits)
    #expect(answers.0.validity == answers.1.validity)
    #expect(answers.0.resendWait == answers.1.resendWait)
    #expect(answers.0.id.text.utf8.count == answers.1.id.text.utf8.count)
    #expect(sentMessages.messages.count == 1)
    guard case .failure(let one) = await ask(known, account),
      case .failure(let other) = await ask(stranger, nil)
    else { return #expect(Bool(false)) }
    #expect(one == other)
    for left in [4, 3, 2, 1] {
      #expect(await check("000000", answers.1.id.text, .logIn) == .codeWrong(triesLeft: left))
    }
    #expect(await check("000000", answers.1.id.text, .logIn) == .codeExpired)
  }

  @Test("D9 · without a configured channel every request is told so alike")
  func unreachable() async {
    sentMessages.setChannels([.phone])
    #expect(await sendRefusal() == .deliveryUnavailable(.email))
  }

  @Test(
    "D8 · a message says how long its code is valid",
    arguments: [(600, "for 10 minutes."), (150, "for 2 minutes."), (90, "for 90 seconds.")])
  func saysValidity(seconds: Int, words: String) async throws {
    let household = try Household(codes: CodePolicy(validity: .seconds(seconds)))
    let owner = try await household.ownerLogsIn().principal
    _ = try await household.accountService.contacts.sendEmailCode(to: nil, by: owner)
    #expect(
      household.sentMessages.messages.last?.text.contains("It is good once, \(words)") == true)
  }

  @Test("D9 · a message is one line of ASCII short enough for a text message")
  func messages() {
    for purpose in CodePurpose.allCases {
      let message = AccountMessage(
        OneTimeCode(digits: 6, from: .system), to: mail, for: purpose, validity: .seconds(600))
      #expect(message.text.utf8.count <= 160)
      #expect((message.text + message.subject).utf8.allSatisfy { (0x20...0x7E).contains($0) })
      #expect(message.code != nil)
      #expect(!message.subject.contains(message.code ?? ""))
      #expect(!"\(message) \(String(reflecting: message))".contains(message.code ?? ""))
    }
  }
}

@Suite struct PhoneNumberTests {
  @Test(
    "D1 · a phone number is kept in its international form",
    arguments: ["+49 30 1234567", "+49301234567", "+49 (30) 123-45.67", "+49.30 12-34567 "])
  func accepted(_ typed: String) throws {
    #expect(try PhoneNumber(typed).text == "+49301234567")
  }

  @Test(
    "D1 · refuses texts that are no international phone number",
    arguments: [
      "030 1234567", "+", "+0301234567", "+123456", "+1234567890123456", "+49 30 ABC",
      "+49 (0)30 1234567", "+49/30/1234567", " +49301234567", "", "  ", "+4930123456\n7",
      "++4930123456", "+49\0301234567", "+４９３０１２３４５６７",
      String(repeating: "1", count: 99_999),
    ])
  func refused(_ typed: String) async {
    let error = await refusal { () throws(AccountError) in try PhoneNumber(typed) }
    #expect(error?.field == .phone)
  }
}
