import APIClient
import ArgumentParser
import JSON
import NIOHTTP1
import Testing

@testable import theater

@Suite("JSON for scripts")
struct JSONOutputTests {
  /// Every command without subcommands, with the words that select it.
  private static func commands(
    below command: any ParsableCommand.Type, _ words: [String]
  ) -> [(words: [String], command: any ParsableCommand.Type)] {
    let subcommands = command.configuration.subcommands
    guard !subcommands.isEmpty else { return [(words, command)] }
    return subcommands.flatMap { commands(below: $0, words + [$0._commandName]) }
  }

  @Test("every command takes --json")
  func everywhere() {
    let commands = Self.commands(below: Theater.self, [])
    #expect(commands.count > 60)
    for (words, command) in commands {
      let help = Theater.helpMessage(for: command)
      #expect(help.contains("--json"), "\(words.joined(separator: " "))")
    }
    #expect(DeviceSwap.helpMessage().contains("--json"))
  }

  @Test("--json counts before -- only")
  func asked() {
    #expect(Console.asksForJSON(["films", "--json"]))
    #expect(Console.asksForJSON(["--json", "--", "x"]))
    #expect(!Console.asksForJSON(["watch", "--", "--json"]))
    #expect(!Console.asksForJSON(["films"]))
  }

  @Test("the words of device swap get --json from the command that has read it")
  func swap() throws {
    let words = ["device", "swap", "amp", "--plugin", "Simulated", "--json"]
    let command = try #require(try Theater.parseAsRoot(words) as? DeviceCommand)
    #expect(command.output.json)
  }

  @Test(
    "an error has the code of the refusal, else that of the exit code",
    arguments: [
      (ExitError(.failed, "it broke", hint: "Mend it."), "failed"),
      (ExitError(.wrongUsage, "it broke", hint: "Mend it."), "wrongUsage"),
      (ExitError(.notLoggedIn, "it broke", hint: "Mend it."), "notLoggedIn"),
    ])
  func codes(error: ExitError, code: String) {
    #expect(
      error.json == ["error": ["code": .string(code), "message": "it broke", "hint": "Mend it."]])
  }

  @Test("a refusal keeps its code, device and step")
  func refusal() {
    let body: JSON = [
      "error": [
        "code": "deviceFailed", "message": "it is stuck", "hint": "Push.", "device": "amp",
        "step": "3",
      ]
    ]
    let answer = ControllerResponse(status: 503, headers: [:], body: Array(body.text().utf8))
    #expect(ExitError(answer).json == body)
  }

  @Test("a missing controller and a wrong usage have a hint too")
  func local() throws {
    let gone = ExitError(ControllerConnectionError.notRunning(.socket("/nowhere")))
    #expect(gone.json["error"]?["code"] == "notRunning")
    #expect(gone.json["error"]?["hint"]?.string?.contains("serve") == true)
    let usage = try #require(throws: (any Error).self) {
      try Theater.parseAsRoot(["discover", "--timeout", "0", "--json"])
    }
    let error = ExitError(usage).json["error"]
    #expect(error?["code"] == "wrongUsage")
    #expect(error?["message"]?.string?.hasPrefix("--timeout takes 1 to 60 s.") == true)
    #expect(error?["message"]?.string?.contains("\n") == false)
    #expect(error?["hint"]?.string?.contains("Usage:") == true)
  }

  @Test("an error that was printed as text is an object nevertheless")
  func silent() {
    let error = ExitError(silent: .failed, "the file has errors")
    #expect(error.text.isEmpty)
    #expect(error.json == ["error": ["code": "failed", "message": "the file has errors"]])
  }
}
