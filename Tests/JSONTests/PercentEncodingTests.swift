import JSON
import Testing

@Suite("Percent-encoding and hexadecimal digits")
struct PercentEncodingTests {
  @Test("encodes all but unreserved characters, in either case")
  func encodes() {
    #expect(PercentEncoding.encode("az-AZ_09.~") == "az-AZ_09.~")
    #expect(
      PercentEncoding.encode("a b/c?d#e%f\u{E4}\n", uppercase: false)
        == "a%20b%2fc%3fd%23e%25f%c3%a4%0a")
    #expect(PercentEncoding.encode("/\u{E4}+") == "%2F%C3%A4%2B")
    #expect(PercentEncoding.encode("a:b/", keeping: { $0 == UInt8(ascii: ":") }) == "%61:%62%2F")
  }

  @Test(
    "decodes codes in either case, and what it has encoded",
    arguments: [
      ("", ""), ("plain", "plain"), ("%2F%2f", "//"), ("a%C3%A4%c3%a4", "a\u{E4}\u{E4}"),
      ("%2541", "%41"), ("+", "+"), ("%00", "\0"),
    ])
  func decodes(encoded: String, plain: String) {
    #expect(PercentEncoding.decode(encoded) == plain)
    #expect(PercentEncoding.decodeLeniently(encoded) == plain)
    #expect(PercentEncoding.decode(PercentEncoding.encode(plain)) == plain)
  }

  @Test(
    "rejects signs, short codes and invalid UTF-8, or leaves them as they are",
    arguments: [
      ("%+1", "%+1"), ("%-1", "%-1"), ("% 1", "% 1"), ("%", "%"), ("a%4", "a%4"), ("%%41", "%A"),
      ("%g0", "%g0"), ("%4\u{E4}", "%4\u{E4}"), ("%FF", "\u{FFFD}"), ("%C3", "\u{FFFD}"),
      ("%C0%80", "\u{FFFD}\u{FFFD}"), ("%ED%A0%80", "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ])
  func rejects(text: String, lenient: String) {
    #expect(PercentEncoding.decode(text) == nil)
    #expect(PercentEncoding.decodeLeniently(text) == lenient)
  }

  @Test("writes all digits of bytes and numbers, and reads pairs of digits")
  func hexadecimal() {
    #expect(Hexadecimal.text([0, 0x0A, 0xFF]) == "000aff")
    #expect(Hexadecimal.text(0xAB as UInt16, uppercase: true) == "00AB")
    #expect(Hexadecimal.bytes("000aFf") == [0, 0x0A, 0xFF])
    #expect(Hexadecimal.bytes("")?.isEmpty == true)
    for text in ["0", "000", "+1", "0x", " 1", "\u{E4}"] { #expect(Hexadecimal.bytes(text) == nil) }
  }
}
