import APIClient
import AccountFlows
import ArgumentParser
import Glibc
import JSON
import NIOHTTP1
import Platform
import TheaterAPI
import Validation

/// `theater token`: creates, lists and revokes access tokens for programs.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Let programs do chosen things in your name.",
    subcommands: [Create.self, List.self, Words.self, Revoke.self])

  /// `theater token create doorbell --may pause,resume --days 365`.
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an access token, which is shown once.",
      discussion: """
        The token alone goes to standard output. It needs a recent proof: theater prove. In a \
        terminal a form asks for what is not given.

        With --header-file it goes into a new file that only you can read, for:
        curl --unix-socket SOCKET -H @FILE -X POST http://localhost/api/v1/pause
        """)
    @Argument(help: "Its name in lists.")
    var name: String?
    @Option(
      help: ArgumentHelp(
        "What it may do: pause,resume,scene:NAME. All words: theater token words.",
        valueName: "words"),
      completion: .custom(TokenWordCompletion.words))
    var may: String?
    @Option(parsing: .unconditional, help: "How many days it is valid, 1 to 730.")
    var days = 90
    @Option(
      help: ArgumentHelp("A new file for the header with the token.", valueName: "file"),
      completion: .file())
    var headerFile: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if let name { try NameArgument.requireText(name, "a token") }
      guard may == nil || !words.isEmpty else {
        throw ValidationError("--may takes at least one word.")
      }
      guard (1...730).contains(days) else { throw ValidationError("--days takes 1 to 730.") }
    }

    /// The words of `--may`.
    private var words: [String] {
      (may ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }
        .filter { !$0.isEmpty }
    }

    /// The token of the arguments, or of the form that asks for what they lack.
    private func token() async throws -> NewAccessToken {
      if let name, may != nil { return NewAccessToken(name, may: words, days: days) }
      guard Prompt.isInteractive else {
        throw ExitError(
          .wrongUsage, "give a name and --may",
          hint: "Example: \(ProgramName.name) token create doorbell --may pause,resume")
      }
      let known: [FieldName: String?] = [
        .name: name, .permissions: may, .days: String(days),
      ]
      let end = try await AccessTokenView()
        .run(AccessTokenScreen(values: known.compactMapValues { $0 }).driver())
      guard let token = end.token else { throw ExitError(silent: .failed) }
      return token
    }

    func run() async throws {
      let theater = try RemoteTheater()
      let chosen = try await token()
      // Before the token is created: its secret is shown only once.
      let file = try headerFile.map { path throws(ExitError) in try HeaderFile(creating: path) }
      let answer: JSON
      do {
        answer = try await theater.post(
          AccountEndpoint.createAccessToken.path(),
          [
            "name": .string(chosen.name),
            "may": .array(chosen.permissions.map { .string($0) }),
            "validFor": .integer(chosen.days * 86_400),
          ])
      } catch {
        file?.remove()
        throw error
      }
      guard let token = answer["token"]?.string else {
        file?.remove()
        throw ExitError(.failed, "the controller gave no token")
      }
      let end = answer["expires"]?.string ?? "?"
      let revocation = "Revoke it with: \(ProgramName.name) token revoke \(chosen.name.shellQuoted)"
      if let file {
        try file.write("Authorization: Bearer \(token)")
        output.confirm(
          "The header with the token is in \(file.path), which only you can read. It is valid until \(end).\n"
            + revocation, ["expires": answer["expires"] ?? .null, "file": .string(file.path)])
      } else if output.json {
        try output.show(answer) { _ in "" }
      } else {
        Console.writeLine(token)
        Console.writeError("It is valid until \(end), and not shown again.\n\(revocation)\n")
      }
    }
  }

  /// `theater token list`: lists the tokens without their secrets.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List your access tokens.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let answer = try await RemoteTheater().get(AccountEndpoint.accessTokens.path())
      try output.show(answer) {
        let tokens = $0["tokens"]?.array ?? []
        if tokens.isEmpty { return "You have no access tokens." }
        var columns = Columns(["id", "name", "may", "expires", "last used", "from"])
        for token in tokens {
          columns.add(
            token["id"]?.string ?? "?", token["name"]?.string ?? "?",
            (token["may"]?.array ?? []).compactMap(\.string).joined(separator: ","),
            token["expires"]?.string ?? "?", token["lastUsed"]?.string ?? "never",
            token["lastAddress"]?.string ?? "")
        }
        return columns.text
      }
    }
  }

  /// `theater token words`: lists what a token may be allowed.
  struct Words: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List every word for --may.",
      discussion:
        "all: everything of your role, but for accounts, credentials and what needs a proof.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let words = try await RemoteTheater().tokenWords()
      let answer: JSON = ["words": .array(words.map { .string($0) })]
      try output.show(answer) { _ in words.joined(separator: "\n") }
    }
  }

  /// `theater token revoke NAME`.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke an access token, or all; it is refused at once.")
    @Argument(help: "The name or the id of the token.", completion: .custom(TokenCompletion.names))
    var name: String?
    @Flag(help: "Every access token.")
    var all = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (name != nil) != all else { throw ValidationError("Give a name or --all.") }
      if let name { try NameArgument.requireText(name, "a token") }
    }

    func run() async throws {
      let theater = try RemoteTheater()
      guard let name else {
        let answer = try await theater.answer(.DELETE, AccountEndpoint.revokeAccessTokens.path())
        guard answer.isSuccess else { throw ExitError(answer) }
        let count = answer.json["revoked"]?.integer ?? 0
        return output.confirm(
          count == 0 ? "You had no access tokens." : "\(tokenCount(count)) revoked.",
          ["revoked": .integer(count)])
      }
      let tokens = try await theater.accessTokens()
      let found =
        tokens.first { $0["name"]?.string == name } ?? tokens.first { $0["id"]?.string == name }
      guard let id = found?["id"]?.string else {
        throw ExitError(
          .failed, "you have no access token \"\(name)\"",
          hint: "List them: \(ProgramName.name) token list")
      }
      try await theater.delete(AccountEndpoint.revokeAccessToken.path(id))
      output.confirm("The access token is revoked.")
    }
  }
}

/// `1 access token`, `3 access tokens`.
func tokenCount(_ count: Int) -> String { "\(count) access token\(count == 1 ? "" : "s")" }

extension RemoteTheater {
  /// The access tokens of this user, as the component `AccessToken`.
  func accessTokens() async throws -> [JSON] {
    try await get(AccountEndpoint.accessTokens.path())["tokens"]?.array ?? []
  }

  /// Every word that a token may have.
  fileprivate func tokenWords() async throws -> [String] {
    Self.tokenWords(in: try await get(AccountEndpoint.accessTokens.path()))
  }

  fileprivate static func tokenWords(in answer: JSON) -> [String] {
    (answer["words"]?.array ?? []).compactMap(\.string)
  }
}

/// Completions for the words of a token, the last one of a list with commas.
private enum TokenWordCompletion {
  static let words: @Sendable ([String], Int, String) async -> [String] = { words, index, prefix in
    let answer = await CompletionAnswer.get(words) {
      try await $0.get(AccountEndpoint.accessTokens.path())
    }
    guard let known = answer.map(RemoteTheater.tokenWords(in:)) else { return [] }
    let begun = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
    return CompletionRequest(words: words, index: index, prefix: prefix)
      .candidates(known.map { begun + $0 })
  }
}

/// Completions for the names of tokens.
private enum TokenCompletion {
  static let names: @Sendable ([String], Int, String) async -> [String] = { words, index, prefix in
    let answer = await CompletionAnswer.get(words) {
      try await $0.get(AccountEndpoint.accessTokens.path())
    }
    return CompletionRequest(words: words, index: index, prefix: prefix)
      .candidates((answer?["tokens"]?.array ?? []).compactMap { $0["name"]?.string })
  }
}

/// A new file for a secret, which only this user can read.
private struct HeaderFile {
  let path: String
  private let descriptor: Int32

  /// Creates the file.
  /// - Throws: `ExitError` if there is something of this name already.
  init(creating path: String) throws(ExitError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ExitError(
        .failed, "cannot create \(path): \(String(cString: strerror(errno)))",
        hint: "Nothing was created. Name a file that does not exist yet, in a folder of yours.")
    }
  }

  /// Writes a line, and closes the file.
  func write(_ line: String) throws(ExitError) {
    defer { close(descriptor) }
    do throws(SystemError) {
      try RegularFile.write(Array((line + "\n").utf8), to: descriptor)
    } catch {
      unlink(path)
      throw ExitError(
        .failed, "cannot write \(path): \(error)",
        hint: "The token is of no use: revoke it, make room and create another one.")
    }
  }

  /// Removes the file again.
  func remove() {
    close(descriptor)
    unlink(path)
  }
}

extension String {
  /// The text as one word of a shell.
  fileprivate var shellQuoted: String {
    let isPlain = unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic && $0.isASCII || "0123456789-_.".unicodeScalars.contains($0)
    }
    return isPlain && first != "-" ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
