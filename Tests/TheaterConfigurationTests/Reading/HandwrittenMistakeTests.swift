import HomeTheater
import JSON
import TestSupport
import Testing

@testable import TheaterConfiguration

/// Mistakes of people who write `devices.json` by hand: each is one error, with the next action.
@Suite("Mistakes in a handwritten configuration")
struct HandwrittenMistakeTests {
  /// The errors of the whole example after one change.
  private func errors(_ old: String, _ new: String) -> [ConfigurationIssue] {
    Fixtures.problems(Fixtures.whole(old, new)).filter { $0.severity == .error }
  }

  @Test(
    "a mistake in the syntax says what to do",
    arguments: [
      ("{\n  // lamps\n  \"devices\": {}}", 2, 3, "\"note\""),
      ("{\"devices\": {}\n \"scenes\": {}}", 1, 15, "Add the comma here."),
      ("{\"devices\": {},\n}", 1, 15, "Remove this comma."),
      ("{“devices”: {}}", 1, 2, "straight quote"), ("{'devices': {}}", 1, 2, "straight quote"),
      ("{\u{A0}\"devices\": {}}", 1, 2, "ordinary space"),
      ("{\"devices\": True}", 1, 13, "lower case"), ("{devices: {}}", 1, 2, "double quotes"),
      ("devices:\n  amp:\n", 1, 1, "it begins with {"),
    ])
  func syntax(_ text: String, _ line: Int, _ column: Int, _ hint: String) {
    let problems = Fixtures.problems(text)
    #expect(problems.map(\.kind) == [.syntax])
    #expect(problems.first?.position == TextPosition(line: line, column: column))
    #expect(problems.first?.hint?.contains(hint) == true, "\(problems)")
  }

  @Test("lists exactly one error for each mistake", arguments: HandwrittenMistake.all)
  func oneError(of mistake: HandwrittenMistake) {
    let errors = mistake.problems.filter { $0.severity == .error }
    #expect(errors.count == 1, "\(mistake.name): \(mistake.problems)")
    #expect(errors.allSatisfy { $0.position != nil })
  }

  @Test("the table of docs/mistakes.md has what config check says to each mistake")
  func table() throws {
    #expect(HandwrittenMistake.all.count >= 51)
    try ProjectFile.expect(
      "mistakes", of: "docs/mistakes.md", toBe: "\n\(HandwrittenMistake.table)\n\n")
  }

  @Test("names a Cyrillic letter in a key, and does not also call the key missing")
  func cyrillicKey() {
    let errors = errors(#""role": "tuner""#, "\"rоle\": \"tuner\"")
    #expect(errors.map(\.path.description) == [#"$.devices.tuner["rоle"]"#])
    #expect(errors.first?.hint?.contains("Did you mean \"role\"?") == true)
    #expect(errors.first?.hint?.contains("о (U+043E)") == true)
  }

  @Test("names a Cyrillic letter in the name of a device once, where the device is declared")
  func cyrillicDevice() {
    let errors = errors("\"lights\": {\"role\"", "\"lіghts\": {\"role\"")
    #expect(errors.count == 1, "\(errors)")
    #expect(errors.first?.path.description == "$.devices[\"lіghts\"]")
  }

  @Test("names a Cyrillic letter in a step and in a value")
  func cyrillicReference() {
    let step = errors(#"{"lights": {"dim": 40}}"#, "{\"lіghts\": {\"dim\": 40}}")
    #expect(step.count == 1 && step.first?.hint?.contains("(U+0456)") == true, "\(step)")
    let value = errors(#""role": "screen""#, "\"role\": \"sсreen\"")
    #expect(value.count == 1 && value.first?.hint?.contains("(U+0441)") == true, "\(value)")
  }

  @Test("a misspelt section is one error, not one for each name that refers to it")
  func misspeltSection() {
    let devices = errors(#""devices": {"#, #""device": {"#)
    #expect(devices.map(\.path.description) == ["$.device"])
    let scenes = errors(#""scenes": {"#, #""scene": {"#)
    #expect(scenes.map(\.path.description) == ["$.scene"])
  }

  @Test(
    "says how to write a value that is of the wrong kind",
    arguments: [
      (#"{"dim": 10}"#, #"{"dim": "10"}"#, "Write 10 without quotes."),
      (#""speed": 2.5"#, #""speed": "2.5""#, "Write 2.5 without quotes."),
      (#""always": true"#, #""always": "true""#, "Write true without quotes."),
      (#""title": "Watch""#, #""title": 24"#, #"Write "24" in quotes."#),
      (
        #""cables": [{"from": "dvd", "to": "amp", "input": "dvd"}, {"from": "cd", "to": "amp", "input": "cd"}]"#,
        #""cables": {"from": "dvd", "to": "amp", "input": "dvd"}"#, "as a list, in brackets"
      ),
      (
        #""folders": ["Samples/Music", "/srv/music", "../other", "~/Music"]"#,
        #""folders": "~/Music""#, "as a list, in brackets"
      ),
      (#""title": "Watch""#, #""title": ["Watch"]"#, "Remove the brackets"),
    ])
  func conversion(_ old: String, _ new: String, _ hint: String) {
    let errors = errors(old, new)
    #expect(errors.count == 1, "\(errors)")
    #expect(errors.first?.hint?.contains(hint) == true, "\(errors)")
  }

  @Test("every object may have a note, which changes nothing")
  func notes() throws {
    let plain = try JSON(parsing: Fixtures.whole)
    let noted = Self.addingNotes(to: plain)
    #expect(noted != plain)
    let (first, second) = (try Fixtures.read(Fixtures.whole), try Fixtures.read(noted.text()))
    #expect(second.devices == first.devices)
    #expect(second.plan.scenes == first.plan.scenes)
    #expect(second.warnings.isEmpty)
    let schema = TheaterConfiguration.schema(Fixtures.plugins)
    #expect(try JSONSchemaValidator.verdicts(on: [plain, noted], schema: schema) == [true, true])
  }

  @Test("a note that is no text is refused, as a device of that name is")
  func wrongNote() {
    let device = errors(#""lights": {"role""#, #""note": {"role""#)
    #expect(device.first?.path.description == "$.devices.note")
    #expect(device.first?.hint?.contains("no name") == true)
    let number = errors(#""title": "Watch""#, #""note": 3"#)
    #expect(number.map(\.path.description) == ["$.scenes.watch-film.note"])
  }

  private static func addingNotes(to value: JSON) -> JSON {
    switch value {
    case .array(let values): return .array(values.map(addingNotes))
    case .object(let object):
      var noted = JSONObject(object.map { ($0.key, addingNotes(to: $0.value)) })
      noted["note"] = "For people."
      return .object(noted)
    default: return value
    }
  }
}
