import Foundation
import JSON
import TestSupport
import Testing

@testable import theater

@Suite("Hints of the controller in the terminal")
struct HintedCommandTests {
  @Test(
    "name the command for what they ask for",
    arguments: [
      ("See the lists of films and songs.", ["films", "songs"]),
      ("See the list of stations.", ["stations"]),
      ("Choose one from the list of accounts.", ["accounts"]),
      ("Choose one from your list of sessions.", ["sessions"]),
      ("See the list of songs, or scan the library again.", ["songs", "library scan"]),
      ("See the state and the log of the device.", ["device amp", "plugins"]),
      ("Seek to a position: 12:30.", ["seek 12:30"]), ("Ask an owner of this theater.", []),
    ])
  func commands(hint: String, commands: [String]) {
    #expect(HintedCommands.commands(for: "notFound", hint: hint, device: "amp") == commands)
    let text = HintedCommands.hint(hint, refusal: "notFound", device: "amp") ?? ""
    #expect(text.hasPrefix(hint))
    for command in commands { #expect(text.contains("\(ProgramName.name) \(command)")) }
  }

  @Test("the code of a refusal decides before the words of its hint")
  func codes() {
    #expect(
      HintedCommands.commands(for: "proofNeeded", hint: "See the list of songs.", device: nil)
        == ["prove"])
  }

  @Test("each hint in the sources that refers to a list names the command that shows it")
  func sources() throws {
    let literal = try Regex(#"hint: (?:near\.map \{[^}]*\} \?\? )?"([^\n]*?)"[,)]"#)
    var hints: [String] = []
    for folder in ["Sources", "Plugins"] {
      let root = Program.project.appending(path: folder)
      let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        hints += text.matches(of: literal).compactMap { $0.output[1].substring.map(String.init) }
      }
    }
    #expect(hints.count > 100)
    // The lists of a configuration and of rules have no command.
    let lists = hints.filter { $0.contains("ist of ") || $0.contains("ists of ") }
      .filter { !$0.contains("Write") }
    #expect(lists.count >= 8, "\(lists)")
    for hint in lists {
      let shown = hint.replacing("\\(category.rawValue)", with: "films")
      #expect(
        !HintedCommands.commands(for: nil, hint: shown, device: nil).isEmpty, "\(hint)")
    }
  }

  @Test("no hint in the sources of the terminal names a route of the API or a part of the page")
  func ownWords() throws {
    let root = Program.project.appending(path: "Sources/theater")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains("hint:") {
        #expect(!line.contains("/api/"), "\(file.lastPathComponent): \(line)")
        #expect(
          line.firstMatch(of: /"[^"]*\b([Cc]lick|GET|POST|PUT|DELETE)\b/) == nil,
          "\(file.lastPathComponent): \(line)")
      }
    }
  }
}
