import AccountFlows

/// A command line: the options that select the controller, then the command.
struct Invocation: Sendable {
  /// The address of the option `--at`.
  private(set) var at: String?
  /// The path of the option `--token-file`.
  private(set) var tokenFile: String?
  /// The rest, for ArgumentParser.
  let command: [String]

  /// - Parameter arguments: The command line without the program's name.
  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let (name, value, count) = Self.option(rest) {
      if name == "--at" { at = value } else { tokenFile = value }
      rest = rest.dropFirst(count)
    }
    command = Array(rest)
  }

  /// The option at the beginning of `words`, and how many words it has. An option without a value is left to
  /// ArgumentParser, which knows the message.
  private static func option(_ words: ArraySlice<String>) -> (String, value: String, count: Int)? {
    guard let word = words.first else { return nil }
    for name in ["--at", "--token-file"] {
      if word.hasPrefix("\(name)="), word.count > name.count + 1 {
        return (name, String(word.dropFirst(name.count + 1)), 1)
      }
      if word == name, let value = words.dropFirst().first, !value.isEmpty, value.first != "-" {
        return (name, value, 2)
      }
    }
    return nil
  }

  /// The target that the options name, else that of the environment.
  ///
  /// - Parameter environment: Returns the value of a variable; `nil` if it is missing or empty.
  func target(
    _ environment: (String) -> String? = Console.environment
  ) throws(ExitError) -> ControllerTarget {
    var target = ControllerTarget()
    if let at {
      let address = try Self.address(at, of: "--at")
      target.address = address
      target.options = " --at \(address)"
    } else if let at = environment("THEATER_AT") {
      target.address = try Self.address(at, of: "THEATER_AT")
    }
    target.token = try token(environment).map { SessionSecret($0) }
    return target
  }

  private static func address(
    _ text: String, of origin: String
  ) throws(ExitError) -> RemoteAddress {
    do throws(ExitError) {
      return try RemoteAddress(text)
    } catch {
      throw ExitError(error.code, "\(origin): \(error.message)", hint: error.hint)
    }
  }

  /// The token of the options or of the environment. An argument would be seen by every user of the machine.
  private func token(_ environment: (String) -> String?) throws(ExitError) -> String? {
    if let path = tokenFile ?? environment("THEATER_TOKEN_FILE") {
      guard let token = try TokenFile(path, isGiven: true).read() else {
        throw ExitError(
          .wrongUsage, "\(path) has no token", hint: "Write the token into it, and nothing else.")
      }
      return token
    }
    guard let text = environment("THEATER_TOKEN") else { return nil }
    guard let token = TokenFile.word(in: Array(text.utf8)[...]) else {
      throw ExitError(
        .wrongUsage, "THEATER_TOKEN holds no token",
        hint: "It is one word of letters, digits, \"-\" and \"_\".")
    }
    return token
  }
}
