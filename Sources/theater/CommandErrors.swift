import ArgumentParser

extension ExitError {
  /// Describes any error of a command.
  ///
  /// - Parameter arguments: The command line without the program's name.
  init(_ error: any Error, arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
    if let known = ExitError(requestError: error) {
      self = known
    } else {
      self.init(parserError: error, arguments: arguments)
    }
  }

  private init(parserError error: any Error, arguments: [String]) {
    let exit = Theater.exitCode(for: error)
    if exit.isSuccess, DeviceSwap.isHelpRequest(arguments) {
      self.init(.done, DeviceSwap.helpMessage())
      isAnswer = true
      return
    }
    var text = CompletionScript.replacingExpansions(in: Theater.fullMessage(for: error))
    if text.hasSuffix("\n") { text.removeLast() }
    if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
    let suggestion =
      exit.isSuccess || exit == .validationFailure
      ? CommandSuggestion.sentence(for: arguments) : nil
    switch (suggestion, exit) {
    case (let suggestion?, .success):
      // Help on an unknown command.
      self.init(
        .wrongUsage,
        """
        \(suggestion)
        Usage: \(Theater.usageString(for: Theater.self))
          See 'theater --help' for more information.
        """)
    case (let suggestion?, _):
      // Replaces the first line, which only says which words are unexpected.
      self.init(
        .wrongUsage,
        ([suggestion[...]] + text.split(separator: "\n").dropFirst()).joined(separator: "\n"))
    case (nil, .success): self.init(.done, text)
    case (nil, .validationFailure): self.init(.wrongUsage, text)
    case (nil, _): self.init(.failed, text)
    }
    isAnswer = exit.isSuccess && suggestion == nil
  }
}
