import ArgumentParser
import Devices

/// Suggestions for misspelt subcommands.
enum CommandSuggestion {
  /// Returns a sentence with the first unknown subcommand of a command line and the nearest known
  /// one.
  ///
  /// - Parameter arguments: The command line without the program's name.
  /// - Returns: `nil` if every subcommand is known, or if no known one is near. After `help` an
  ///   unknown word always gets a sentence, because `help` takes only subcommands.
  static func sentence(for arguments: [String]) -> String? {
    let isHelp = arguments.first == help
    var command: any ParsableCommand.Type = Theater.self
    var path = isHelp ? "\(Theater._commandName) \(help)" : Theater._commandName
    for word in isHelp ? arguments.dropFirst() : arguments[...] {
      let subcommands = command.configuration.subcommands
      // The word after an option may be its value.
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = subcommands.first(where: { names(of: $0).contains(word) }) else {
        var known = subcommands.flatMap(names)
        if command == Theater.self, !isHelp { known.append(help) }
        let unknown = "Unknown command '\(word.prefix(60))'."
        if let near = nearest(to: word, in: known) {
          return "\(unknown) Did you mean '\(path) \(near)'?"
        }
        return isHelp ? "\(unknown) See the commands: \(path)" : nil
      }
      command = next
      path += " \(word)"
    }
    return nil
  }

  /// ArgumentParser's own subcommand, which is in no list.
  private static let help = "help"

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command._commandName] + command.configuration.aliases
  }
}
