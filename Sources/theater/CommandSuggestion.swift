import ArgumentParser
import Devices

/// Finds the subcommand that a misspelt word was probably meant to be.
enum CommandSuggestion {
  /// A sentence that names the word and the nearest subcommand; `nil` where every word that has to
  /// name a subcommand does, or where none is near.
  ///
  /// - Parameter arguments: The words after the program's name.
  static func sentence(for arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = Theater.self
    var path = Theater._commandName
    for word in arguments {
      let subcommands = command.configuration.subcommands
      // The word after an option may be its value.
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = subcommands.first(where: { names(of: $0).contains(word) }) else {
        return nearest(to: word, in: subcommands.flatMap(names)).map {
          "Unknown command '\(word.prefix(60))'. Did you mean '\(path) \($0)'?"
        }
      }
      command = next
      path += " \(word)"
    }
    return nil
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command._commandName] + command.configuration.aliases
  }
}
