import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import theater

@Suite struct CompletionTests {
  /// Returns bash's own reading of a word.
  private static func read(_ word: String) async throws -> String {
    let outcome = try await Program.tool(["bash", "-c", "printf %s \(word)"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  static let titles = [
    "$(touch X)", "`touch X`", "${HOME}", "it's", "say \"hi\"", "'; touch X; '", "\"; touch X; \"",
    "Run!! !ls ^a^b", "!", "* ?? [a-z]", "back\\slash\\", "-rf", "a;touch X", "a|touch X&",
    "two  spaces ", "~root", "Ünïcödé 映画", "%s %n", "{a,b}{1..3}", "<(touch X)", ">X", "#x", "a=b",
    "Alien: Covenant", "$\u{301}(touch X)", "'\u{308}x", "\\", "\"", "'", "$'x\\n'",
  ]

  @Test("E8 · a title that bash completes is read by bash as the title", arguments: titles)
  func bash(title: String) async throws {
    for (line, replaced) in [("", ""), ("\"", ""), ("'", "")] {
      let word = try #require(BashWord(line: "theater watch " + line, replaced: replaced))
      // readline drops an open quote before a candidate that begins with one.
      let candidate = try #require(word.replacement(for: title))
      let kept = line.unicodeScalars.first == candidate.unicodeScalars.first ? "" : line
      #expect(try await Self.read(kept + candidate) == title, "\(line)")
    }
  }

  @Test("E8 · a word that is begun in any quotes goes on in them")
  func begun() throws {
    for (line, replaced, candidate) in [
      ("Al", "Al", "Alien\\:\\ Covenant"), ("al", "al", "Alien\\:\\ Covenant"),
      ("Alien\\:\\ C", "Alien\\:\\ C", "Alien\\:\\ Covenant"), ("Alien:", "", "\\ Covenant"),
      ("\"Alien: C", "Alien: C", "Alien: Covenant\""), ("'A", "A", "Alien: Covenant'"),
      ("Alien\": ", ": ", ": Covenant\""), ("\"Ali\"'en", "en", "en: Covenant'"),
    ] {
      let word = BashWord(line: "theater watch " + line, replaced: replaced)
      #expect(word?.replacement(for: "Alien: Covenant") == candidate, "\(line)")
      #expect(word?.replacement(for: "Predator") == nil)
    }
  }

  @Test(
    "E8 · a word that bash would expand is not completed",
    arguments: ["$", "$(", "\"$x", "`", "\"`", "a;", "> ", "<(", "a &", "| x"])
  func expanded(line: String) {
    #expect(BashWord(line: "theater watch " + line, replaced: "") == nil)
  }

  private func request(_ shell: CompletionShell?, _ prefix: String = "", before: [String] = [])
    -> CompletionRequest
  {
    let words = ["theater", "watch"] + before + [prefix]
    return CompletionRequest(
      words: words, index: words.count - 1, prefix: prefix, shell: shell, environment: { _ in nil })
  }

  @Test("E8 · the bash script of an earlier version expands its candidates, and gets titles back")
  func earlierScript() async throws {
    let titles = Self.titles.filter { !$0.hasPrefix("-") && !$0.hasPrefix("~") }
    let candidates = request(.bash).candidates(titles)
    let program = "IFS=$'\\n' compgen -W \"$1\" -- ''"
    let outcome = try await Program.tool(
      ["bash", "-c", program, "bash", candidates.joined(separator: "\n")])
    #expect(outcome.output == titles.map { $0 + "\n" }.joined())
  }

  @Test("E8 · each shell gets titles in its own form, and none that it would change")
  func forms() {
    let titles = ["Alien: One\\", "~root", "-rf", "tab\there", "new\nline", "a\u{202E}b", ""]
    #expect(request(.zsh).candidates(titles) == ["Alien\\: One\\\\", "~root"])
    #expect(request(.fish).candidates(titles) == ["Alien: One\\"])
    #expect(request(nil).candidates(titles) == ["Alien: One\\", "~root"])
    #expect(request(.zsh, before: ["--"]).candidates(titles).contains("-rf"))
    #expect(request(.zsh, "al").candidates(titles) == ["Alien\\: One\\\\"])
    #expect(request(.fish, "b").candidates(titles).isEmpty)
    // With a quote typed, zsh and fish choose by themselves.
    #expect(request(.zsh, "\"x").candidates(titles).count == 2)
  }

  @Test("E8 · the scripts leave no title to a shell's expansion")
  func scripts() throws {
    func script(_ shell: String) throws -> String {
      let error = try #require(throws: (any Error).self) {
        _ = try Theater.parseAsRoot(["--generate-completion-script", shell])
      }
      return ExitError(error).text
    }
    let bash = try script("bash")
    #expect(!bash.contains("-W \"$("))
    #expect(bash.contains("\n__theater_add_quoted_completions() {\n"))
    #expect(bash.contains("__theater_add_quoted_completions ---completion watch -- positional@0"))
    #expect(!(try script("zsh")).contains("banghist"))
  }
}
