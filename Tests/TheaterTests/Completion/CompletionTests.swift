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

  @Test("bash reads a completed title as the title", arguments: titles)
  func bash(title: String) async throws {
    for (line, replaced) in [("", ""), ("\"", ""), ("'", "")] {
      let word = try #require(BashWord(line: "theater watch " + line, replaced: replaced))
      // readline drops an open quote before a candidate that begins with one.
      let candidate = try #require(word.replacement(for: title))
      let kept = line.unicodeScalars.first == candidate.unicodeScalars.first ? "" : line
      #expect(try await Self.read(kept + candidate) == title, "\(line)")
    }
  }

  @Test("a word that starts in quotes continues in them")
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
    "does not complete a word that bash would expand",
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

  @Test("the bash script of an earlier version gets the titles back")
  func earlierScript() async throws {
    let titles = Self.titles.filter { !$0.hasPrefix("-") && !$0.hasPrefix("~") }
    let candidates = request(.bash).candidates(titles)
    let program = "IFS=$'\\n' compgen -W \"$1\" -- ''"
    let outcome = try await Program.tool(
      ["bash", "-c", program, "bash", candidates.joined(separator: "\n")])
    #expect(outcome.output == titles.map { $0 + "\n" }.joined())
  }

  @Test("each shell gets titles in its own quoting, without those that it would change")
  func forms() {
    let titles = ["Alien: One\\", "~root", "-rf", "tab\there", "new\nline", "a\u{202E}b", ""]
    #expect(request(.zsh).candidates(titles) == ["Alien\\: One\\\\", "~root"])
    #expect(request(.fish).candidates(titles) == ["Alien: One\\"])
    #expect(request(nil).candidates(titles) == ["Alien: One\\", "~root"])
    #expect(request(.zsh, before: ["--"]).candidates(titles).contains("-rf"))
    #expect(request(.zsh, "al").candidates(titles) == ["Alien\\: One\\\\"])
    #expect(request(.fish, "b").candidates(titles).isEmpty)
    // zsh and fish filter the candidates of a quoted word themselves.
    #expect(request(.zsh, "\"x").candidates(titles).count == 2)
  }

  private func script(_ shell: String) throws -> String {
    let error = try #require(throws: (any Error).self) {
      _ = try Theater.parseAsRoot(["--generate-completion-script", shell])
    }
    return ExitError(error).text
  }

  @Test(
    "bash asks for titles also behind a colon, an equals sign or an at sign that was typed",
    arguments: [
      ("Alien:", ["Alien", ":"], "", "Alien:"), ("Alien:C", ["Alien", ":", "C"], "C", "Alien:C"),
      ("a=b@c", ["a", "=", "b", "@", "c"], "c", "a=b@c"), ("x : y", ["x", ":", "y"], "y", nil),
      ("Alien", ["Alien"], "Alien", "Alien"),
      ("--from-start Al:", ["--from-start", "Al", ":"], "", "Al:"),
    ] as [(String, [String], String, String?)])
  func typedColon(line: String, words: [String], current: String, prefix: String?) async throws {
    // The program gets the index of the word at the cursor, then all words.
    let program = """
      \(try script("bash"))
      compopt() { :; }
      theater() {
        shift 4
        local -i index="$1"
        shift 2
        local -a words=("$@")
        echo "${words[index]}"
      }
      COMP_LINE="theater watch $1"
      COMP_POINT="${#COMP_LINE}"
      COMP_WORDS=(theater watch "${@:3}")
      COMP_CWORD="$((${#COMP_WORDS[@]} - 1))"
      _theater theater "$2" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let outcome = try await Program.tool(["bash", "-c", program, "bash", line, current] + words)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.output == "\(prefix ?? "")\n")
  }

  @Test("the scripts leave no title to a shell's expansion")
  func scripts() throws {
    let bash = try script("bash")
    #expect(!bash.contains("-W \"$("))
    #expect(bash.contains("\n__theater_add_quoted_completions() {\n"))
    #expect(bash.contains("__theater_add_quoted_completions ---completion watch -- positional@0"))
    #expect(!(try script("zsh")).contains("banghist"))
  }

  @Test("each shell has a completion script", arguments: ["bash", "zsh", "fish"])
  func completion(shell: String) throws {
    let error = try #require(throws: (any Error).self) {
      _ = try Theater.parseAsRoot(["--generate-completion-script", shell])
    }
    let ending = ExitError(error)
    #expect(ending.code == .done)
    #expect(ending.text.contains("theater"))
  }
}
