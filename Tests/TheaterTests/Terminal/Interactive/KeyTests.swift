import Testing

@testable import theater

@Suite("keys")
struct KeyTests {
  private func keys(_ readings: [UInt8]...) -> [Key] {
    var decoder = KeyDecoder()
    return readings.flatMap { decoder.keys(in: $0) }
  }

  @Test("decodes characters that are split over several reads")
  func characters() {
    #expect(keys(Array("aé€🗝".utf8)) == ["a", "é", "€", "🗝"].map { .text($0) })
    #expect(keys([0xE2], [0x82], [0xAC, 0x61]) == [.text("€"), .text("a")])
  }

  @Test(
    "invalid UTF-8 is reported, and the next character is decoded",
    arguments: [
      [0xE9, 0x61], [0x80, 0x61], [0xC0, 0x80, 0x61], [0xED, 0xA0, 0x80, 0x61], [0xFF, 0x61],
      [0xF4, 0x90, 0x80, 0x80, 0x61],
    ] as [[UInt8]])
  func garbled(bytes: [UInt8]) {
    #expect(keys(bytes + [0x62]).contains(.invalidUTF8))
    #expect(keys(bytes + [0x62]).last == .text("b"))
  }

  @Test("control characters and escape sequences are decoded")
  func control() {
    #expect(
      keys([0x0D, 0x0A, 0x09, 0x7F, 0x08, 0x15, 0x17, 0x14, 0x12, 0x0E, 0x10, 0x0F, 0x04])
        == [
          .enter, .enter, .next, .erase, .erase, .eraseAll, .eraseWord, .reveal, .resend,
          .register, .newPassword, .oneTimeCode, .end,
        ])
    #expect(keys([0x1B]) == [.back])
    #expect(keys(Array("\u{1B}[A\u{1B}[B\u{1B}[Z\u{1B}OA".utf8)) == [.back, .next, .back, .back])
    #expect(
      keys(Array("\u{1B}[C\u{1B}[D\u{1B}OC".utf8)) == [.nextOption, .previousOption, .nextOption])
    // Other keys are ignored: F5, Ctrl-right, Alt-x, NUL.
    #expect(keys(Array("\u{1B}[15~\u{1B}[1;5Cx\u{1B}xy\u{0}".utf8)) == [.text("x"), .text("y")])
    #expect(keys(Array("\u{1B}[1;1".utf8)) == [])
  }

  @Test("editing appends characters and removes grapheme clusters")
  func editing() {
    #expect("a".edited(by: .text("b")) == "ab")
    #expect("ae\u{301}".edited(by: .erase) == "a")
    #expect("👨‍👩‍👧".edited(by: .erase) == "")
    #expect("".edited(by: .erase) == "")
    #expect("two words ".edited(by: .eraseWord) == "two ")
    #expect("one".edited(by: .eraseWord) == "")
    #expect("one".edited(by: .eraseAll) == "")
    #expect("one".edited(by: .enter) == nil)
    let long = String(repeating: "x", count: 16_384)
    #expect(long.edited(by: .text("y")) == long)
  }
}
