import JSON
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "encodes bytes with padding, and decodes the text",
    arguments: [("", ""), ("a", "YQ=="), ("ab:", "YWI6"), ("abcd", "YWJjZA==")])
  func base64(text: String, encoded: String) {
    #expect(Base64.text(Array(text.utf8)) == encoded)
    #expect(Base64.bytes(encoded) == Array(text.utf8))
  }
}
