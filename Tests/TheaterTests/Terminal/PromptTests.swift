import Testing

@testable import theater

@Suite struct PromptTests {
  @Test("F5 · rejects a password that is not UTF-8")
  func passwordBytes() throws {
    #expect(try Prompt.validated("vier Löwen im Kino") == "vier Löwen im Kino")
    let typed = String(decoding: [0x6C, 0xF6, 0x77, 0x65] as [UInt8], as: UTF8.self)
    #expect(throws: ExitError.self) { try Prompt.validated(typed) }
  }
}
