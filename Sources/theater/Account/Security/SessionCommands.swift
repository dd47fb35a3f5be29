import APIClient
import AccountFlows
import ArgumentParser
import JSON
import NIOHTTP1
import TheaterAPI

/// `theater sessions`: lists and ends sessions.
struct SessionCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List and end your sessions.",
    subcommands: [List.self, End.self], defaultSubcommand: List.self)

  /// `theater sessions`: every session of this user.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List your sessions.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let answer = try await RemoteTheater().get(SessionEndpoint.sessions.path())
      try output.show(answer) {
        var columns = Columns(["id", "device", "address", "opened", "last seen", ""])
        for session in $0["sessions"]?.array ?? [] {
          columns.add(
            String((session["id"]?.string ?? "?").prefix(8)), session["device"]?.string ?? "",
            session["address"]?.string ?? "", session["opened"]?.string ?? "",
            session["lastSeen"]?.string ?? "", session["current"] == true ? "this one" : "")
        }
        return columns.text
      }
    }
  }

  /// `theater sessions end`: ends one, the others, or all.
  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a session, all others, or all.")

    @Argument(help: "The id of a session, or its beginning.")
    var id: String?
    @Flag(help: "Every session but this one.")
    var others = false
    @Flag(help: "Every session, this one too.")
    var all = false
    @Flag(help: "With --others or --all: revoke your access tokens, too.")
    var tokens = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard [id != nil, others, all].count(where: { $0 }) == 1 else {
        throw ValidationError("Give an id, --others or --all.")
      }
      guard !tokens || id == nil else {
        throw ValidationError("--tokens belongs to --others or --all.")
      }
    }

    func run() async throws {
      let theater = try RemoteTheater()
      guard let id else {
        let path = (others ? SessionEndpoint.endOtherSessions : .endSessions).path()
        let answer = try await theater.answer(.DELETE, path + (tokens ? "?tokens=revoke" : ""))
        guard answer.isSuccess else { throw ExitError(answer) }
        if all { theater.forgetSession() }
        output.confirm(
          all ? "You are logged out everywhere." : "Every other session ended.",
          answer.json.object ?? [:])
        if let count = answer.json["revokedTokens"]?.integer {
          Console.writeNotice("\(tokenCount(count)) revoked.")
        }
        if let count = answer.json["tokens"]?.integer {
          Console.writeNotice(
            "\(tokenCount(count)) can still be used. List: \(ProgramName.name) token list. "
              + "Revoke: \(ProgramName.name) token revoke --all")
        }
        return
      }
      let sessions = try await theater.get(SessionEndpoint.sessions.path())["sessions"]?.array ?? []
      let found = sessions.compactMap { $0["id"]?.string }.filter {
        !id.isEmpty && $0.hasPrefix(id)
      }
      guard let session = found.first, found.count == 1 else {
        throw ExitError(
          .failed, "\(found.isEmpty ? "no" : "more than one") session begins with \"\(id)\"",
          hint: "List them: \(ProgramName.name) sessions")
      }
      try await theater.delete(SessionEndpoint.endSession.path(session))
      output.confirm("The session ended.")
    }
  }
}

/// `theater prove`: proves this user's identity again, for actions that require a recent proof.
struct Prove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove your identity again, as changes of your login require.")
  @OptionGroup var password: PasswordOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    try theater.requireSession("prove")
    let password = try Prompt.password(fromInput: password.passwordStdin)
    let answer = try await theater.prove(
      ["password": .string(password)], at: SessionEndpoint.proveIdentity.path())
    guard let token = answer["token"]?.string else {
      throw ExitError(.failed, "the controller gave no token")
    }
    try theater.session.write(token)
    output.confirm("Your identity is proven for five minutes.")
  }
}

extension RemoteTheater {
  /// Sends fields that prove this user's identity, and again with the code of the authenticator app or
  /// a recovery code if the controller asks for one.
  func prove(_ fields: JSONObject, at path: String) async throws -> JSON {
    let first = try await answer(.POST, path, .object(fields))
    if first.isSuccess { return first.json }
    guard first.json["error"]?["code"]?.string == "secondFactorNeeded" else {
      throw ExitError(first)
    }
    let confirmation = RemoteConfirmation(self, at: path, with: fields)
    _ = try await CodeScreen(.secondFactor).ask(
      confirmation, "Code from your authenticator app, or a recovery code")
    return confirmation.answer
  }
}
