import ArgumentParser

/// The options before the command. `Invocation` reads them; here they are for the help, for completions, and for the
/// error about one that stands elsewhere.
struct ControllerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A controller elsewhere, or of another user of this machine: https://box:8080. ($THEATER_AT)",
      valueName: "address"),
    completion: .custom(KnownControllers.completions))
  var at: String?
  @Option(
    help: ArgumentHelp(
      "A file with an access token, in place of a login. ($THEATER_TOKEN_FILE, $THEATER_TOKEN)",
      valueName: "file"), completion: .file())
  var tokenFile: String?

  func validate() throws {
    for (name, value) in [("--at", at), ("--token-file", tokenFile)] where value != nil {
      throw ValidationError("Write \(name) before the command: theater \(name) … COMMAND.")
    }
  }
}
