import JSON
import Testing

@testable import TheaterConfiguration

/// A mistake that people make in a `devices.json` that they write by hand.
struct HandwrittenMistake: Sendable, CustomTestStringConvertible {
  /// The mistake in words.
  let name: String
  /// The wrong text, short enough for a table.
  let written: String
  /// The bytes of the whole file with the mistake.
  let file: [UInt8]

  /// A mistake in the whole example.
  ///
  /// - Parameters:
  ///   - old: The text of the example, which is replaced.
  ///   - new: The text with the mistake.
  init(_ name: String, _ old: String, _ new: String) {
    self.init(name, new, file: Fixtures.whole(old, new))
  }

  /// A mistake in a file of its own.
  init(_ name: String, _ written: String, file: String) {
    (self.name, self.written, self.file) = (name, written, Array(file.utf8))
  }

  init(_ name: String, _ written: String, bytes: [UInt8]) {
    (self.name, self.written, file) = (name, written, bytes)
  }

  /// All problems that `theater config check` lists.
  var problems: [ConfigurationIssue] {
    do {
      return try TheaterConfiguration.read(
        file, named: "devices.json", from: Fixtures.origin, plugins: Fixtures.plugins,
        secrets: PocketSecrets(texts: [:])
      ).warnings
    } catch {
      return error.problems
    }
  }

  var testDescription: String { name }

  // MARK: The mistakes

  static let all = syntax + names + values + shapes

  private static let syntax: [HandwrittenMistake] = [
    HandwrittenMistake(
      "a comma between two members is missing", "{\"devices\": {}⏎ \"scenes\": {}}",
      file: "{\"devices\": {}\n \"scenes\": {}}"),
    HandwrittenMistake(
      "a comma between two entries of a list is missing",
      "[{\"lights\": \"on\"} {\"amp\": \"on\"}]",
      file: "{\"scenes\": {\"a\": {\"steps\": [{\"lights\": \"on\"} {\"amp\": \"on\"}]}}}"),
    HandwrittenMistake(
      "a comma after the last member", "{\"devices\": {},⏎}", file: "{\"devices\": {},\n}"),
    HandwrittenMistake(
      "a comma after the last entry of a list", "[\"lights\", ]",
      file: "{\"pluginFolders\": [\"lights\", ]}"),
    HandwrittenMistake(
      "a semicolon in place of a comma", "{\"devices\": {}; \"scenes\": {}}",
      file: "{\"devices\": {}; \"scenes\": {}}"),
    HandwrittenMistake(
      "an equals sign in place of a colon", "{\"devices\" = {}}", file: "{\"devices\" = {}}"),
    HandwrittenMistake(
      "a comment with //", "{⏎  // lamps", file: "{\n  // lamps\n  \"devices\": {}}"),
    HandwrittenMistake("a comment with #", "{⏎  # lamps", file: "{\n  # lamps\n  \"devices\": {}}"),
    HandwrittenMistake(
      "a comment with /* */", "{\"devices\": {} /* lamps */}", file: "{\"devices\": {} /* lamps */}"
    ),
    HandwrittenMistake("YAML", "devices:⏎  amp:", file: "devices:\n  amp:\n    role: amplifier\n"),
    HandwrittenMistake("typographic quotes", "{“devices”: {}}", file: "{“devices”: {}}"),
    HandwrittenMistake(
      "a typographic quote at the end of a key", "{\"devices”: {}⏎}", file: "{\"devices”: {}\n}\n"),
    HandwrittenMistake("quotes of another language", "{„devices“: {}}", file: "{„devices“: {}}"),
    HandwrittenMistake("angle quotes", "{«devices»: {}}", file: "{«devices»: {}}"),
    HandwrittenMistake("single quotes", "{'devices': {}}", file: "{'devices': {}}"),
    HandwrittenMistake("a key without quotes", "{devices: {}}", file: "{devices: {}}"),
    HandwrittenMistake(
      "a text without quotes", "{\"role\": lights}",
      file: "{\"devices\": {\"lights\": {\"role\": lights}}}"),
    HandwrittenMistake(
      "a quote inside a text", "\"title\": \"The \"big\" room\"",
      file: "{\"scenes\": {\"a\": {\"title\": \"The \"big\" room\", \"steps\": []}}}"),
    HandwrittenMistake(
      "a text that does not end", "{\"role\": \"lights}",
      file: "{\"devices\": {\"lights\": {\"role\": \"lights}}}\n"),
    HandwrittenMistake(
      "a path with single backslashes", "\"C:\\Music\"",
      file: "{\"pluginFolders\": [\"C:\\Music\"]}"),
    HandwrittenMistake(
      "a no-break space", "{·\"devices\": {}}", file: "{\u{A0}\"devices\": {}}"),
    HandwrittenMistake(
      "an invisible space", "{·\"devices\": {}}", file: "{\u{200B}\"devices\": {}}"),
    HandwrittenMistake(
      "a byte-order mark", "{\"devices\": {}}", bytes: [0xEF, 0xBB, 0xBF] + Array("{}".utf8)),
    HandwrittenMistake(
      "UTF-16", "{\"devices\": {}}",
      bytes: [0xFF, 0xFE] + "{}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
    HandwrittenMistake(
      "True with a capital letter", "{\"always\": True}", file: "{\"always\": True}"),
    HandwrittenMistake("None in place of null", "{\"end\": None}", file: "{\"end\": None}"),
    HandwrittenMistake("yes in place of true", "{\"demo\": yes}", file: "{\"demo\": yes}"),
    HandwrittenMistake("a decimal comma", "{\"speed\": 2,5}", file: "{\"speed\": 2,5}"),
    HandwrittenMistake("a closing brace is missing", "{\"devices\": {}", file: "{\"devices\": {}"),
    HandwrittenMistake(
      "a closing brace too many", "{\"devices\": {}}}", file: "{\"devices\": {}}}"),
    HandwrittenMistake(
      "a key twice in one object", #"{"role": "tuner", "plugin": "Pretend"}"#,
      #"{"role": "tuner", "role": "tuner", "plugin": "Pretend"}"#),
  ]

  private static let names: [HandwrittenMistake] = [
    HandwrittenMistake("a misspelt key", #""role": "tuner""#, #""rol": "tuner""#),
    HandwrittenMistake("a key with a capital letter", #""role": "tuner""#, #""Role": "tuner""#),
    HandwrittenMistake(
      "a key with a Cyrillic letter", #""role": "tuner""#, "\"rоle\": \"tuner\""),
    HandwrittenMistake("a misspelt section", #""devices": {"#, #""device": {"#),
    HandwrittenMistake("a role that does not exist", #""role": "lights""#, #""role": "lamp""#),
    HandwrittenMistake("a misspelt role", #""role": "lights""#, #""role": "light""#),
    HandwrittenMistake(
      "a plugin that is not installed", #""tuner", "plugin": "Pretend""#,
      #""tuner", "plugin": "Pretent""#),
    HandwrittenMistake(
      "a plugin without this role", #""tuner", "plugin": "Pretend""#,
      #""tuner", "plugin": "Speaker""#),
    HandwrittenMistake(
      "a misspelt device in a step", #"{"lights": {"dim": 40}}"#, #"{"light": {"dim": 40}}"#),
    HandwrittenMistake(
      "a device with a Cyrillic letter", "\"lights\": {\"role\"", "\"lіghts\": {\"role\""),
    HandwrittenMistake("a misspelt command", #"{"dim": 10}"#, #"{"din": 10}"#),
    HandwrittenMistake(
      "a command of another role", #"{"lights": {"dim": 40}}"#, #"{"lights": "play"}"#),
    HandwrittenMistake(
      "a misspelt scene", #""start": "watch-film""#, #""start": "watch-flim""#),
    HandwrittenMistake("a misspelt player", #""player": "dvd", "when"#, #""player": "dvt", "when"#),
    HandwrittenMistake("a misspelt option", #"{"speed": 2.5"#, #"{"sped": 2.5"#),
    HandwrittenMistake(
      "a parameter that is not declared", #""item": "$film""#, #""item": "$movie""#),
    HandwrittenMistake(
      "a device named note", #"{"role": "popcornPopper", "plugin": "Pretend"} }"#,
      #"{"role": "popcornPopper", "plugin": "Pretend"}, "note": {"role": "lights"} }"#),
  ]

  private static let values: [HandwrittenMistake] = [
    HandwrittenMistake("a number in quotes", #"{"dim": 10}"#, #"{"dim": "10"}"#),
    HandwrittenMistake("a number in quotes for an option", #""speed": 2.5"#, #""speed": "2.5""#),
    HandwrittenMistake("true in quotes", #""always": true"#, #""always": "true""#),
    HandwrittenMistake("a number in place of a text", #""title": "Watch""#, #""title": 24"#),
    HandwrittenMistake("a number beyond its range", #"{"dim": 10}"#, #"{"dim": 110}"#),
    HandwrittenMistake("a time without its unit", #"{"wait": "1.5 s"}"#, #"{"wait": 1.5}"#),
  ]

  private static let shapes: [HandwrittenMistake] = [
    HandwrittenMistake(
      "an object in place of a list",
      #"[{"from": "dvd", "to": "amp", "input": "dvd"}, {"from": "cd", "to": "amp", "input": "cd"}]"#,
      #"{"from": "dvd", "to": "amp", "input": "dvd"}"#),
    HandwrittenMistake(
      "a text in place of a list", #"["Samples/Music", "/srv/music", "../other", "~/Music"]"#,
      #""~/Music""#),
    HandwrittenMistake("a list in place of a text", #""title": "Watch""#, #""title": ["Watch"]"#),
    HandwrittenMistake(
      "a required option is missing", #"{"device": "hw:1", "extras""#, #"{"extras""#),
    HandwrittenMistake(
      "two commands in one step", #"{"amp": {"volume": 50}}"#,
      #"{"amp": {"volume": 50}, "dvd": "on"}"#),
  ]

  // MARK: The table

  /// The table for people: the mistake, what is written, and what `theater config check` says.
  static var table: String {
    let rows = all.map { mistake -> String in
      let says = mistake.problems.first { $0.severity == .error }.map { problem in
        [problem.message, problem.hint.flatMap(ownHint)].compactMap(\.self).map(cell)
          .joined(separator: "<br>→ ")
      }
      return "| \(mistake.name) | \(code(mistake.written)) | \(says ?? "nothing") |"
    }
    return (["| mistake | for example | `theater config check` says |", "|---|---|---|"] + rows)
      .joined(separator: "\n")
  }

  /// The end of the hint of each mistake in the syntax.
  static let syntaxHint = "Correct this first; the rest of the file is checked after it."

  /// The hint without what each mistake in the syntax has; `nil` if it has nothing else.
  private static func ownHint(_ hint: String) -> String? {
    let own = hint.hasSuffix(syntaxHint) ? String(hint.dropLast(syntaxHint.count)) : hint
    return own.isEmpty ? nil : own.hasSuffix(" ") ? String(own.dropLast()) : own
  }

  /// A text as a cell of a table in Markdown.
  private static func cell(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("<", with: "\\<")
      .replacing("*", with: "\\*").replacing("_", with: "\\_").replacing("`", with: "\\`")
  }

  private static func code(_ text: String) -> String { "`\(text.replacing("|", with: "\\|"))`" }
}
