import Testing
import Validation

@testable import Accounts

@Suite struct PasswordTests {
  private func check(
    _ typed: String, name: String = "Anna", email: String = "anna@example.org",
    hasSecondFactor: Bool = false, rules: RuleSet = .standard
  ) async -> AccountError? {
    await refusal { () throws(AccountError) in
      try NewPassword(
        typed, for: PasswordOwner(name: name, email: email, hasSecondFactor: hasSecondFactor),
        rules: rules)
    }
  }

  /// Code points that are neither a run nor a repetition.
  private static func mixed(_ count: Int) -> String {
    String(
      String.UnicodeScalarView((0..<count).compactMap { Unicode.Scalar(0x4E00 + $0 * $0 % 997) }))
  }

  @Test("C5 C9 · a new password has 15 to 256 code points, 8 with a second factor")
  func length() async {
    #expect(await check("")?.code == .empty)
    #expect(await check(Self.mixed(14))?.code == .tooShort)
    #expect(await check(Self.mixed(15)) == nil)
    #expect(await check(Self.mixed(8), hasSecondFactor: true) == nil)
    #expect(await check(Self.mixed(7), hasSecondFactor: true)?.code == .tooShort)
    #expect(await check(Self.mixed(256)) == nil)
    #expect(await check(Self.mixed(257))?.code == .tooLong)
    #expect(await check(String(repeating: "x", count: 2_000_000))?.code == .tooLong)
  }

  @Test("C5 C6 · what is common or holds the person's name or address is refused, saying why")
  func unsuitable() async throws {
    let common = await check("passwordpassword")
    #expect(common?.code == .unsuitable)
    #expect(common?.field == .password)
    #expect(common?.hint.contains("less common password") == true)
    #expect(await check("four friends of ANNA here")?.code == .unsuitable)
    #expect(await check("four friends of carla here", email: "carla@b.co")?.code == .unsuitable)
    #expect(await check("four friends of carla here") == nil)
  }

  @Test("C5 · reports all broken rules at once")
  func together() async throws {
    let hint = try #require(await check("password")?.hint)
    #expect(hint.contains("at least 15 characters") && hint.contains("less common"))
  }

  @Test("C2 C5 · another rule set accepts other passwords")
  func otherRules() async {
    #expect(await check("abc", rules: .seedE) == nil)
    #expect(await check("Ab!1", rules: .seedC) == nil)
    #expect(await check("ab!1", rules: .seedC)?.code == .unsuitable)
    #expect(await check("abcdefg1", rules: .seedA)?.code == .unsuitable)
    #expect(await check("abcdefg1!", rules: .seedA) == nil)
  }

  @Test("C5 · counts code points, not bytes and not grapheme clusters")
  func codePoints() async throws {
    // 14 film clappers and pairs are 56 bytes; three families are 15 code points.
    #expect(await check("🎬🎥🍿🎞📽🎭🎼🎹🥁🎷🎺🎸🎻🎤")?.code == .tooShort)
    #expect(await check("👨‍👩‍👧👨‍👩‍👦👩‍👩‍👧") == nil)
    #expect(try Password("👨‍👩‍👧").codePoints == 5)
  }

  @Test("C5 · counts code points after normalisation")
  func countedNormalised() async throws {
    // A decomposed é is two code points typed and one counted.
    #expect(try Password(String(repeating: "e\u{301}", count: 14)).codePoints == 14)
    #expect(await check(Self.mixed(255) + "e\u{301}") == nil)
    #expect(try Password("\u{FDFA}").codePoints == 18)
  }

  @Test(
    "A8 · the same password from another keyboard is the same",
    arguments: [
      ("caf\u{E9}", "cafe\u{301}"), ("\u{FB01}lm", "film"), ("\u{FF21}\u{FF22}", "AB"),
      ("\u{212B}", "\u{C5}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
      ("\u{FF76}\u{FF9E}", "\u{30AC}"),
    ])
  func normalised(_ one: String, _ other: String) throws {
    #expect(try Password(one).bytes == Password(other).bytes)
  }

  @Test("A8 · case, spaces and the character NUL make a difference")
  func different() throws {
    let typed = [
      "film", "Film", "film ", " film", "film\0", "film\0x", "A\u{10041}\u{323}", "AA\u{323}",
    ]
    #expect(try Set(typed.map { try Password($0).bytes }).count == typed.count)
  }
}

@Suite struct EntryCodeTests {
  @Test("a code has 100 random bits in five groups, and is read back as a person types it")
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
    "rejects texts that cannot be a code",
    arguments: ["", "1234", "UUUU-UUUU-UUUU-UUUU-UUUU", "AAAA-AAAA-AAAA-AAAA-AAAA-A", "ß", "\0"])
  func refused(_ typed: String) {
    #expect(EntryCode(typed: typed) == nil)
  }

  @Test("N-A2 · codes and tokens do not repeat, and tokens hold 256 bits")
  func unique() {
    #expect(Set((0..<1000).map { _ in EntryCode(from: .system).text }).count == 1000)
    #expect(Set((0..<1000).map { _ in SessionToken(from: .system).text }).count == 1000)
    // 43 symbols of 6 bits.
    #expect(SessionToken(from: .system).text.utf8.count * 6 >= 256)
  }

  @Test("a digest differs between codes and tokens, and can be stored")
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
