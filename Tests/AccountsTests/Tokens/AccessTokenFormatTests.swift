import AccountTestSupport
import Testing

@testable import Accounts

/// The texts of access tokens, and the words of what they may do.
@Suite struct AccessTokenFormatTests {
  @Test("a token begins with a fixed prefix, and every one matches the pattern for secret scanners")
  func form() throws {
    let pattern = try Regex(AccessTokenSecret.pattern)
    var texts: Set<String> = []
    for _ in 0..<1000 {
      let text = AccessTokenSecret(from: .system).text
      texts.insert(text)
      #expect(text.hasPrefix("theater_") && text.utf8.count == 67)
      #expect(text.wholeMatch(of: pattern) != nil)
      #expect(AccessTokenSecret(text)?.digest == AccessTokenSecret(text)?.digest)
      #expect(AccessTokenSecret(text)?.text == text)
      #expect(AccessTokenSecret.isMeant(by: text) && SessionToken(text) == nil)
    }
    #expect(texts.count == 1000)
  }

  @Test("the checksum finds every single wrong symbol, and a missing or further one")
  func checksum() {
    let text = AccessTokenSecret(from: .system).text
    for index in text.indices {
      for symbol in "0123456789abcdefghjkmnpqrstvwxyzOIlu_-" where symbol != text[index] {
        var wrong = text
        wrong.replaceSubrange(index...index, with: [symbol])
        #expect(AccessTokenSecret(wrong) == nil)
      }
    }
    for wrong in [
      "", "theater_", String(text.dropLast()), text + "0", " " + text, text.uppercased(),
      String(repeating: text, count: 1000),
    ] {
      #expect(AccessTokenSecret(wrong) == nil)
    }
  }

  @Test("no description, interpolation or dump of a token shows it")
  func redacted() {
    let secret = AccessTokenSecret(from: .system)
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(describing: secret), String(reflecting: secret), dumped] {
      #expect(!text.contains(secret.text) && !text.contains("theater_"))
    }
  }

  @Test(
    "reads back each word of a scope",
    arguments: [
      "all", "view", "pause", "scene:good-night", "activity:film", "device:lights/dim",
    ])
  func words(word: String) {
    #expect(TokenScope(word: word)?.word == word)
  }

  @Test(
    "reads no word of an unknown kind or form",
    arguments: [
      "", ":", "scene:", "scene", "signal:doorbell", "device:lights", "device:lights/",
      "device:/on", "device:a/b/c", "scene:a,b", "pause resume", "activity:a:b", "SCENE:a",
      "a\u{202E}b",
      String(repeating: "a", count: 65),
    ])
  func wrongWords(word: String) {
    // "scene" alone is the name of an operation, which the caller does not know.
    let scope = TokenScope(word: word)
    #expect(scope == nil || scope == .command("scene") && word == "scene")
  }
}
