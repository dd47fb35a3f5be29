import ArgumentParser
import Glibc

/// The entry point. Every error becomes one of the five exit codes.
@main enum Main {
  static func main() async {
    do throws(ExitError) {
      try await Invocation(Array(CommandLine.arguments.dropFirst())).run()
      try Console.checkOutput()
    } catch {
      error.terminate()
    }
  }
}

extension Invocation {
  /// Runs the command.
  func run() async throws(ExitError) {
    let command: any ParsableCommand
    let target: ControllerTarget
    do {
      command = try await Theater.asyncParseAsRoot(self.command)
      target = try self.target(of: command)
    } catch {
      throw ExitError(error, arguments: self.command)
    }
    // Messages name the controller, so errors become texts within.
    let failure: ExitError? = await ControllerTarget.$current.withValue(target) {
      do {
        if let address = target.address {
          try await CertificateConfirmation(address).confirmIfUnknown()
        }
        try await Self.run(command)
        return nil
      } catch {
        return ExitError(error, arguments: self.command)
      }
    }
    guard let failure else { return }
    // The accounts of this machine say nothing about a controller elsewhere, or about a token.
    guard target.address == nil, target.token == nil else { throw failure }
    throw await FirstAccount.explained(failure)
  }

  private static func run(_ command: any ParsableCommand) async throws {
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      var command = command
      try command.run()
    }
  }

  private func target(of command: any ParsableCommand) throws(ExitError) -> ControllerTarget {
    let type = type(of: command)
    // The main menu, which needs a person at a terminal.
    if type == Theater.self, Prompt.canChoose { return try target() }
    // Help, and a command that only shows its subcommands.
    if type._commandName == "help" || !type.configuration.subcommands.isEmpty {
      return ControllerTarget()
    }
    guard command is any LocalCommand else { return try target() }
    guard let option = at.map({ _ in "--at" }) ?? tokenFile.map({ _ in "--token-file" }) else {
      return ControllerTarget()
    }
    throw ExitError(
      .wrongUsage,
      "this command works on this machine's own files and programs, so \(option) makes no sense",
      hint: "Leave \(option) out, or run the command on the controller's machine.")
  }
}

extension ExitError {
  /// Prints the message, with `--json` as an object, and ends the program.
  func terminate() -> Never {
    if isAnswer {
      // Completions without a candidate have no line.
      if !text.isEmpty { Console.writeLine(text) }
    } else if code != .done, Console.isJSON {
      Console.writeErrorObject(json)
    } else if !text.isEmpty {
      Console.writeErrorLine(text)
    }
    if code == .done {
      do throws(ExitError) { try Console.checkOutput() } catch { error.terminate() }
    }
    exit(code.rawValue)
  }
}
