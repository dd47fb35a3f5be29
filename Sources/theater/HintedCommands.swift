import JSON

/// The terminal's commands for what the controller's hints ask a person to do.
///
/// The page shows the same hints, so they name lists and actions, and no commands.
enum HintedCommands {
  /// The commands that resolve a refusal.
  ///
  /// - Parameters:
  ///   - code: The refusal's code.
  ///   - hint: The refusal's hint.
  ///   - device: The device that the refusal names.
  static func commands(for code: String?, hint: String?, device: String?) -> [String] {
    // A login is no remedy for a token that was given in its place.
    if code == ExitError.Code.notLoggedIn.word, ControllerTarget.current.token != nil { return [] }
    if let code, let command = commandsOfCodes[code] { return [command] }
    guard let hint = hint?.lowercased() else { return [] }
    var commands: [String] = []
    for (phrase, named) in commandsOfPhrases where hint.contains(phrase) {
      let named = named.map { $0.replacing("DEVICE", with: device ?? "DEVICE") }
      commands += named.filter { !commands.contains($0) }
    }
    return commands
  }

  /// Returns a refusal's hint, followed by the commands that resolve the refusal if there are some.
  static func hint(_ hint: String?, refusal code: String?, device: String? = nil) -> String? {
    let commands = commands(for: code, hint: hint, device: device)
    let next = commands.map { "\(ProgramName.name) \($0)" }.joined(separator: ", ")
    let lines = [hint, next.isEmpty ? nil : "next: \(next)"].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "\n  ")
  }

  private static let commandsOfCodes = [
    "notLoggedIn": "login", "proofNeeded": "prove", "lastOwner": "accounts role EMAIL owner",
    "factorActive": "totp remove", "noFactor": "totp enrol",
  ]

  /// The lines below the message of an error that the API reports: its hint, and the next commands.
  static func lines(for error: JSON?) -> [String] {
    let text = hint(
      error?["hint"]?.string, refusal: error?["code"]?.string, device: error?["device"]?.string)
    return (text ?? "").split(separator: "\n").map { line in
      String(line.drop { $0 == " " })
    }
  }

  /// What hints say, in lower case.
  private static let commandsOfPhrases: [(String, [String])] = [
    ("lists of films and songs", ["films", "songs"]), ("list of films", ["films"]),
    ("list of songs", ["songs"]), ("list of stations", ["stations"]),
    ("list of titles", ["films"]),
    ("film or a song of the library", ["films", "songs"]), ("list of accounts", ["accounts"]),
    ("list of sessions", ["sessions"]), ("list of invitations", ["invite list"]),
    ("list of access tokens", ["token list"]), ("list of guest passes", ["guest list"]),
    ("list of plugins", ["plugins"]),
    ("log of the plugin", ["plugins"]), ("log of the device", ["device DEVICE", "plugins"]),
    ("scan the library again", ["library scan"]), ("scan again", ["library scan"]),
    (
      "start a film, a song or a station", ["watch TITLE", "listen TITLE", "radio STATION"]
    ),
    ("seek to a position", ["seek 12:30"]), ("set it to a percentage", ["volume 40"]),
    ("end the activity", ["stop"]), ("reset it if you have forgotten it", ["password reset"]),
    ("register with its code", ["register --invitation CODE"]),
  ]
}
