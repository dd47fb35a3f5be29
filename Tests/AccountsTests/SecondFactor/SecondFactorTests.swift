import AccountTestSupport
import Foundation
import Storage
import TestSupport
import Testing

@testable import Accounts

@Suite struct TOTPTests {
  @Test(
    "one-time passwords are those of RFC 6238, appendix B",
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"),
      (1_234_567_890, "89005924"), (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ])
  func vectors(_ seconds: Double, _ code: String) {
    let secret = Array("12345678901234567890".utf8)
    let step = TOTP.step(at: Date(timeIntervalSince1970: seconds))
    #expect(TOTP.code(secret, step: step, digits: 8) == code)
    #expect(TOTP.code(secret, step: step) == code.suffix(6))
  }

  @Test(
    "the underlying codes are those of RFC 4226, appendix D",
    arguments: zip(
      0..<8, ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583"]))
  func hotp(_ counter: Int, _ code: String) {
    #expect(TOTP.code(Array("12345678901234567890".utf8), step: Int64(counter)) == code)
  }

  @Test("a clock before 1970 or far beyond has steps too")
  func farTimes() {
    #expect(TOTP.step(at: Date(timeIntervalSince1970: -1)) == -1)
    #expect(TOTP.step(at: Date(timeIntervalSince1970: -30)) == -1)
    for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
      #expect(TOTP.steps(of: "no code", [1], at: date).isEmpty)
    }
  }

  @Test(
    "base 32 is that of RFC 4648, without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
      ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
  func base32(_ plain: String, _ encoded: String) {
    #expect(Base32.text(Array(plain.utf8)) == encoded)
  }

  @Test("an independent client reads the secret and makes the codes that are accepted")
  func oathtool() throws {
    let secret = (0..<20).map { UInt8($0 * 11) }
    let date = Date(timeIntervalSince1970: 1_800_000_017)
    let outcome = try Program.runBlocking(
      "oathtool",
      [
        "--totp", "-b", Base32.text(secret), "--now", "@\(Int(date.timeIntervalSince1970))",
      ])
    let code = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(TOTP.steps(of: code, secret, at: date) == [TOTP.step(at: date)])
  }
}

@Suite struct SecondFactorTests {
  private let clock = AccountClock()
  private let store: AccountDatabase
  private let key: SealingKey
  private let factors: SecondFactors
  private let anna: Account
  private let session = SessionID("anna's")

  init() async throws {
    let database = try TheaterDatabase(inMemory: clock.wall)
    store = AccountDatabase(database)
    key = database.accountStores.key
    factors = SecondFactors(store: store, key: key, clock: clock.wall, random: .system)
    anna = Account(
      id: AccountID("anna"), name: try DisplayName("Anna"),
      email: try EmailAddress("anna+film@example.org"), role: .owner,
      createdAt: Date(milliseconds: 0))
    try await store.insertFirst(
      AccountRecord(account: anna, passwordHash: PasswordHash("unused")))
  }

  /// The code that the app shows, so many steps from now.
  private func code(_ secret: [UInt8], _ offset: Int64 = 0) -> String {
    TOTP.code(secret, step: TOTP.step(at: clock.now) + offset)
  }

  private func check(_ typed: String?) async -> AccountError? {
    await refusal { () async throws(AccountError) in try await factors.check(typed, of: anna.id) }
  }

  /// Enrols and confirms.
  private func activate() async throws -> (secret: [UInt8], recovery: [EntryCode]) {
    let secret = try Base32.bytes(try await factors.enrol(anna).secret)
    let recovery = try await factors.confirm(code(secret), of: anna.id, keeping: session).codes
    clock.advance(90)
    return (secret, recovery)
  }

  @Test("asks for no code without a second factor, nor with an unconfirmed one")
  func inactive() async throws {
    #expect(await check(nil) == nil)
    let enrolment = try await factors.enrol(anna)
    #expect(await check(nil) == nil)
    #expect(try await !factors.isActive(for: anna.id))
    let wrong = await refusal { () async throws(AccountError) in
      try await factors.confirm(code([1, 2, 3]), of: anna.id, keeping: session)
    }
    #expect(wrong == .totpCodeWrong)
    #expect(!"\(enrolment) \(String(reflecting: enrolment))".contains(enrolment.secret))
  }

  @Test("a secret of 160 bits goes to the app as text and as an otpauth address")
  func enrolment() async throws {
    let enrolment = try await factors.enrol(anna)
    #expect(try Base32.bytes(enrolment.secret).count == 20)
    #expect(
      enrolment.uri == "otpauth://totp/Home%20Theater:anna%2Bfilm%40example.org"
        + "?secret=\(enrolment.secret)&issuer=Home%20Theater&algorithm=SHA1&digits=6&period=30")
    #expect(try await factors.enrol(anna).secret != enrolment.secret)
  }

  @Test(
    "a confirmed factor is asked for; the codes of this step and its neighbours pass, once each")
  func steps() async throws {
    let (secret, _) = try await activate()
    #expect(await check(nil) == .secondFactorNeeded)
    #expect(await check("  ") == .secondFactorNeeded)
    for offset: Int64 in [-2, 2] {
      #expect(await check(code(secret, offset)) == .secondFactorWrong)
    }
    for offset: Int64 in [0, -1, 1] {
      #expect(await check(code(secret, offset)) == nil)
      #expect(await check(code(secret, offset)) == .secondFactorWrong)
    }
  }

  @Test("the code that confirmed the factor opens nothing more")
  func confirmationUsed() async throws {
    let secret = try Base32.bytes(try await factors.enrol(anna).secret)
    let first = code(secret)
    _ = try await factors.confirm(first, of: anna.id, keeping: session)
    #expect(await check(first) == .secondFactorWrong)
    let again = await refusal { () async throws(AccountError) in
      try await factors.confirm(code(secret, 1), of: anna.id, keeping: session)
    }
    #expect(again == .factorActive)
  }

  @Test("of 20 simultaneous uses of one code, one succeeds")
  func race() async throws {
    let (secret, _) = try await activate()
    let shown = code(secret)
    let passed = await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await check(shown) == nil } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(passed == 1)
  }

  @Test("a clock that went far forward and back locks no user out, and revives no used code")
  func clockBack() async throws {
    let (secret, _) = try await activate()
    let used = code(secret)
    #expect(await check(used) == nil)
    let present = clock.now
    clock.set(present.addingTimeInterval(10 * 365 * 86_400))
    #expect(await check(code(secret)) == nil)
    clock.set(present)
    #expect(await check(used) == .secondFactorWrong)
    #expect(await check(code(secret, 1)) == nil)
  }

  @Test("ten recovery codes pass once each, typed in any case; new ones void the rest")
  func recovery() async throws {
    let (_, codes) = try await activate()
    #expect(Set(codes.map(\.text)).count == 10)
    #expect(await check(codes[0].text.lowercased()) == nil)
    #expect(await check(codes[0].text) == .secondFactorWrong)
    #expect(try await factors.recoveryCodesLeft(of: anna.id) == 9)
    let fresh = try await factors.renewRecoveryCodes(of: anna.id)
    #expect(await check(codes[1].text) == .secondFactorWrong)
    #expect(await check(fresh[1].text) == nil)
  }

  @Test("without a factor there are no recovery codes and nothing to remove")
  func none() async throws {
    for _ in 0..<2 {
      let renewal = await refusal { () async throws(AccountError) in
        try await factors.renewRecoveryCodes(of: anna.id)
      }
      #expect(renewal == .noFactor)
      _ = try await factors.enrol(anna)
    }
    try await factors.remove(from: anna.id)
    let again = await refusal { () async throws(AccountError) in
      try await factors.remove(from: anna.id)
    }
    #expect(again == .noFactor)
  }

  @Test("after its removal neither codes nor recovery codes are asked for or kept")
  func removed() async throws {
    _ = try await activate()
    try await factors.remove(from: anna.id)
    #expect(await check(nil) == nil)
    #expect(try await factors.recoveryCodesLeft(of: anna.id) == 0)
  }

  @Test("a factor sealed with another key says so, and recovery codes still pass")
  func otherKey() async throws {
    let (secret, codes) = try await activate()
    let stranger = SecondFactors(
      store: store, key: .random(), clock: clock.wall, random: .system)
    let error = await refusal { () async throws(AccountError) in
      try await stranger.check(code(secret), of: anna.id)
    }
    #expect(error == .wrongSealingKey)
    try await stranger.check(codes[3].text, of: anna.id)
  }
}

@Suite struct SealingKeyTests {
  @Test("sealed data opens only with the same key, context and purpose")
  func sealing() async throws {
    let key = SealingKey.random()
    let sealed = try key.seal([1, 2, 3], context: "anna", purpose: "test")
    #expect(try key.open(sealed, context: "anna", purpose: "test") == [1, 2, 3])
    #expect(try key.seal([1, 2, 3], context: "anna", purpose: "test") != sealed)
    var changed = sealed
    changed[14] ^= 1
    for (key, bytes, context, purpose) in [
      (SealingKey.random(), sealed, "anna", "test"), (key, changed, "anna", "test"),
      (key, sealed, "ben", "test"), (key, sealed, "anna", "other"), (key, [], "anna", "test"),
    ] {
      let error = await refusal { () throws(AccountError) in
        try key.open(bytes, context: context, purpose: purpose)
      }
      #expect(error == .wrongSealingKey)
    }
  }

  @Test("a keyed digest differs by key, context, purpose and the borders of its texts")
  func digests() {
    let key = SealingKey.random()
    let digest = key.digest(of: "123456", context: "one", purpose: "test")
    #expect(key.digest(of: "123456", context: "one", purpose: "test") == digest)
    #expect(SealingKey.random().digest(of: "123456", context: "one", purpose: "test") != digest)
    #expect(key.digest(of: "123456", context: "two", purpose: "test") != digest)
    #expect(key.digest(of: "123456", context: "one", purpose: "other") != digest)
    #expect(key.digest(of: "e123456", context: "on", purpose: "test") != digest)
  }

  @Test("a key has 32 bytes and shows none of them")
  func bytes() throws {
    #expect(SealingKey(bytes: []) == nil)
    #expect(SealingKey(bytes: Array(repeating: 7, count: 31)) == nil)
    let key = try #require(SealingKey(bytes: Array(repeating: 7, count: 32)))
    var shown = "\(key) \(String(reflecting: key))"
    dump(key, to: &shown)
    #expect(!shown.contains("7"))
  }
}

extension Base32 {
  /// Decodes, the slow way.
  static func bytes(_ text: String) throws -> [UInt8] {
    let bits = try text.flatMap { symbol in
      let value = try #require(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".firstIndex(of: symbol).map {
          "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".distance(
            from: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".startIndex, to: $0)
        })
      return (0..<5).map { UInt8(value >> (4 - $0) & 1) }
    }
    return stride(from: 0, to: bits.count - 7, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
    }
  }
}
