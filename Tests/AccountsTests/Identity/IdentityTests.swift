import Testing

@testable import Accounts

@Suite struct EmailAddressTests {
  @Test(
    "A8 · an e-mail address of common form is accepted",
    arguments: [
      "anna@example.org", "a@b.co", "Anna.Maria+film@mail.example.co.uk", "o'hara@example.org",
      "x_y-z@xn--bcher-kva.example", "1@2.3x", String(repeating: "a", count: 64) + "@example.org",
    ])
  func accepted(_ typed: String) throws {
    #expect(try EmailAddress(typed).text == typed)
  }

  @Test(
    "A8 · rejects texts that only contain an e-mail address, or nearly are one",
    arguments: [
      "anna", "anna@", "@example.org", "anna@example", "anna@@example.org", "anna@exa mple.org",
      " anna@example.org", "anna@example.org ", "anna@example.org\n", "\nanna@example.org",
      "x anna@example.org y", "anna@example.org\0", ".anna@example.org", "anna.@example.org",
      "an..na@example.org", "anna@.example.org", "anna@example..org", "anna@example.org.",
      "anna@-example.org", "anna@example-.org", "änna@example.org", "anna@exämple.org",
      "anna@example.org,ben@example.org", "\"anna\"@example.org", "<anna@example.org>",
      "anna@[127.0.0.1]", "anna\u{202E}@example.org", "anna@example.org'; DROP TABLE account;--",
      String(repeating: "a", count: 65) + "@example.org",
      "anna@" + String(repeating: "b", count: 64) + ".org",
    ])
  func refused(_ typed: String) async {
    let error = await refusal { () throws(AccountError) in try EmailAddress(typed) }
    #expect(error?.code == .malformed)
    #expect(error?.field == .email)
  }

  @Test("A8 · an e-mail address of more than 254 characters is refused, however long")
  func tooLong() async {
    for labels in [60, 300_000] {
      let typed = "a@" + String(repeating: "abc.", count: labels) + "example.org"
      let error = await refusal { () throws(AccountError) in try EmailAddress(typed) }
      #expect(error?.code == (typed.utf8.count > 254 ? .tooLong : nil))
    }
  }

  @Test("E7 · two addresses that differ only in case are equal")
  func caseFolded() throws {
    let typed = try EmailAddress("Anna@Example.ORG")
    #expect(try typed == EmailAddress("anna@example.org"))
    #expect(typed.key == "anna@example.org")
    #expect(typed.text == "Anna@Example.ORG")
  }
}

@Suite struct DisplayNameTests {
  @Test(
    "names of any script are kept as typed",
    arguments: [
      "Anna", "Jürgen", "أمينة", "李小龍", "O'Hara", "👩‍🚀", "<b>Ben</b>", "'; DROP", "´", "⠁⠀", "नि",
    ])
  func accepted(_ typed: String) throws {
    #expect(try DisplayName(typed).text == typed)
  }

  @Test("removes white space around a name, and composes its accents")
  func normalised() throws {
    #expect(try DisplayName("  Rene\u{301} \n").text.unicodeScalars.count == 4)
  }

  @Test(
    "E7 · a name without a visible character counts as empty",
    arguments: [
      "", " ", "\t\n", "\u{200B}\u{200D}", "\u{FEFF}", "\0", "\u{202E}", "\u{2800}\u{2800}",
      "\u{3164}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{FE0F}\u{E0100}", "\u{180B}", "\u{1D159}",
      "\u{13441}\u{13442}", "\u{301}\u{308}", " \u{301} ", "\u{16FE4}", "\u{20E3}", "\u{93E}",
    ])
  func empty(_ typed: String) async {
    let error = await refusal { () throws(AccountError) in try DisplayName(typed) }
    #expect(error?.code == .empty)
    #expect(error?.field == .name)
  }

  @Test(
    "refuses control characters and characters that reverse the text direction in a name",
    arguments: ["An\u{1B}[31mna", "An\0na", "An\nna", "An\u{7F}na", "An\u{202E}na", "A\u{2028}b"])
  func malformed(_ typed: String) async {
    let error = await refusal { () throws(AccountError) in try DisplayName(typed) }
    #expect(error?.code == .malformed)
  }

  @Test("a name with more than 30 marks in a row is refused before it is composed")
  func marks() async throws {
    let thirty = "a" + String(repeating: "\u{323}", count: 30)
    #expect(try DisplayName(thirty).text.unicodeScalars.count == 30)
    let error = await refusal { () throws(AccountError) in try DisplayName(thirty + "\u{308}") }
    #expect(error?.code == .malformed)
    #expect(error?.field == .name)
  }

  @Test("a name has at most 100 code points")
  func length() async throws {
    #expect(try DisplayName(String(repeating: "ä", count: 100)).text.count == 100)
    for count in [101, 1_000_000] {
      let typed = String(repeating: "ä", count: count)
      let error = await refusal { () throws(AccountError) in try DisplayName(typed) }
      #expect(error?.code == .tooLong)
    }
  }
}
