import Testing

@testable import Accounts

@Suite struct PasswordTests {
  private func check(_ typed: String) async -> AccountError? {
    await refusal { () throws(AccountError) in try PasswordRule.standard.check(Password(typed)) }
  }

  @Test("C5 · a new password has 15 to 256 code points")
  func length() async {
    #expect(await check("")?.code == .empty)
    #expect(await check(String(repeating: "x", count: 14))?.code == .tooShort)
    #expect(await check(String(repeating: "x", count: 15)) == nil)
    #expect(await check(String(repeating: "x", count: 256)) == nil)
    #expect(await check(String(repeating: "x", count: 257))?.code == .tooLong)
    #expect(await check(String(repeating: "x", count: 2_000_000))?.code == .tooLong)
  }

  @Test("C5 · code points are counted, not bytes and not what looks like one character")
  func codePoints() async throws {
    // 14 film clappers are 56 bytes; three families are 15 code points.
    #expect(await check(String(repeating: "🎬", count: 14))?.code == .tooShort)
    #expect(await check(String(repeating: "🎬", count: 256)) == nil)
    #expect(await check("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧") == nil)
    #expect(try Password("👨‍👩‍👧").codePoints == 5)
  }

  @Test("C5 · they are counted after normalisation, which can shorten and lengthen")
  func countedNormalised() async throws {
    // A decomposed é is two code points typed and one counted.
    #expect(try Password(String(repeating: "e\u{301}", count: 14)).codePoints == 14)
    #expect(await check(String(repeating: "e\u{301}", count: 256)) == nil)
    #expect(try Password("\u{FDFA}").codePoints == 18)
  }

  @Test(
    "A8 · the same password from another keyboard is the same",
    arguments: [
      ("caf\u{E9}", "cafe\u{301}"), ("\u{FB01}lm", "film"), ("\u{FF21}\u{FF22}", "AB"),
      ("\u{212B}", "\u{C5}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
    ])
  func normalised(_ one: String, _ other: String) throws {
    #expect(try Password(one).bytes == Password(other).bytes)
  }

  @Test("A8 · case, spaces and the character NUL make a difference")
  func different() throws {
    let typed = ["film", "Film", "film ", " film", "film\0", "film\0x"]
    #expect(try Set(typed.map { try Password($0).bytes }).count == typed.count)
  }
}

@Suite struct EntryCodeTests {
  @Test("E7 · a code has 100 random bits in five groups, and is read back as a person types it")
  func forms() throws {
    let code = EntryCode(from: .system)
    #expect(code.text.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
    let plain = code.text.replacing("-", with: "")
    let typed = [
      code.text, code.text.lowercased(), plain, plain.replacing("0", with: "o"), " \(code.text)\n",
      plain.replacing("1", with: "l"), plain.replacing("1", with: "I"),
    ]
    for typed in typed { #expect(EntryCode(typed: typed)?.digest == code.digest) }
  }

  @Test(
    "E7 · what cannot be a code is none",
    arguments: ["", "1234", "UUUU-UUUU-UUUU-UUUU-UUUU", "AAAA-AAAA-AAAA-AAAA-AAAA-A", "ß", "\0"])
  func refused(_ typed: String) {
    #expect(EntryCode(typed: typed) == nil)
  }

  @Test("E7 · codes and tokens do not repeat, and tokens hold 256 bits")
  func unique() {
    #expect(Set((0..<1000).map { _ in EntryCode(from: .system).text }).count == 1000)
    #expect(Set((0..<1000).map { _ in SessionToken(from: .system).text }).count == 1000)
    // 43 symbols of 6 bits.
    #expect(SessionToken(from: .system).text.utf8.count * 6 >= 256)
  }

  @Test("E7 · a digest tells codes from tokens, and survives being stored")
  func digests() {
    let one = SecretDigest(of: "same", purpose: "entry code")
    #expect(one != SecretDigest(of: "same", purpose: "session token"))
    #expect(SecretDigest(bytes: one.bytes) == one)
    #expect(SecretDigest(bytes: one.bytes.dropLast()) == nil)
    for index in 0..<32 {
      var other = one.bytes
      other[index] ^= 1
      #expect(SecretDigest(bytes: other) != one)
    }
  }

  @Test("E3 · secrets do not show in descriptions, dumps and errors")
  func redacted() throws {
    let secret = "canary in the projector"
    let token = SessionToken(from: .system)
    let code = EntryCode(from: .system)
    let values: [Any] = [
      PasswordCredentials(email: "anna@example.org", password: secret), try Password(secret),
      RegistrationRequest(
        admission: .setupCode(code.text), name: "Anna", email: "a@b.co", password: secret),
      Admission.invitation(code.text), token, code, PasswordHash(secret), [token], (code, token),
    ]
    for value in values {
      var shown = "\(value) \(String(reflecting: value)) "
      dump(value, to: &shown)
      #expect(!shown.contains(secret))
      #expect(!shown.contains(token.text))
      #expect(!shown.contains(code.text))
    }
  }
}
