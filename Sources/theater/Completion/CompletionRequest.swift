import ArgumentParser

/// A shell's request for the words that can stand at the cursor. Titles come from files and
/// stations: the candidates are quoted so that the shell never expands them.
struct CompletionRequest {
  /// The words of the command line, the program's name first, as the shell passes them.
  let words: [String]
  /// The index of the word at the cursor.
  let index: Int
  /// That word up to the cursor; bash and zsh pass it with its quotes.
  let prefix: String
  /// `nil` if the shell is not known.
  var shell = CompletionShell.requesting
  /// Returns a variable that the completion script has set.
  var environment: (String) -> String? = Console.environment

  /// The line up to the cursor, from the bash script of `CompletionScript`.
  static let lineVariable = "THEATER_COMPLETION_LINE"
  /// The end of that line which bash replaces with a candidate.
  static let replacedVariable = "THEATER_COMPLETION_WORD"

  /// The words between the words of a command, such as `scene run`, and the cursor; `nil` if the
  /// command line has another command.
  func arguments(after command: [String]) -> ArraySlice<String>? {
    let before = words.prefix(max(0, index))
    let starts = before.indices.filter { before[$0...].starts(with: command) }
    return starts.first.map { before[($0 + command.count)...] }
  }

  /// The names that fit, quoted for the shell.
  ///
  /// Names with control or direction characters are left out, because a shell reads a candidate per
  /// line. So are names that begin with `-`, unless `--` stands before the cursor: the program would
  /// take them for options.
  ///
  /// - Parameter areOptions: Whether the names are options, which begin with `-`.
  func candidates(_ names: [String], areOptions: Bool = false) -> [String] {
    let allowsHyphen = areOptions || words.prefix(max(0, index)).contains("--")
    let usable = names.filter {
      !$0.isEmpty && $0.isPrintable && (allowsHyphen || $0.unicodeScalars.first != "-")
    }
    return switch shell {
    case .bash?: bashCandidates(usable)
    case .zsh?:
      // The script splits candidates from their descriptions at colons.
      usable.filter(matchesPlainPrefix).map { $0.escaping(["\\", ":"], with: "\\") }
    case .fish?:
      // fish does not quote a `~` at the start of a candidate, and expands it.
      usable.filter { $0.unicodeScalars.first != "~" && matchesPlainPrefix($0) }
    default: usable.filter { $0.begins(with: prefix) }
    }
  }

  /// Whether a name fits an unquoted prefix. zsh and fish filter the candidates of a quoted one.
  private func matchesPlainPrefix(_ name: String) -> Bool {
    prefix.contains { "\\\"'".contains($0) } || name.begins(with: prefix)
  }

  private func bashCandidates(_ names: [String]) -> [String] {
    guard let line = environment(Self.lineVariable) else {
      // The script of an earlier version expands its candidates once, and a leading `~` later.
      return names.filter { $0.unicodeScalars.first != "~" && $0.begins(with: prefix) }
        .map { "'\($0.escaping(["'"], with: "'\\'"))'" }
    }
    guard let word = BashWord(line: line, replaced: environment(Self.replacedVariable) ?? "")
    else { return [] }
    return names.compactMap(word.replacement)
  }
}

extension String {
  /// Whether it begins with `prefix`, ignoring case.
  func begins(with prefix: String) -> Bool { lowercased().hasPrefix(prefix.lowercased()) }

  /// The text with `escape` before each of these scalars, also before one with a combining mark.
  func escaping(_ scalars: Set<Unicode.Scalar>, with escape: String) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if scalars.contains(scalar) { text += escape }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
