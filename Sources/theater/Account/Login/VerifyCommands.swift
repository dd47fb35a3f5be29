import AccountFlows
import ArgumentParser
import JSON
import TheaterAPI

/// `theater verify`.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove that an e-mail address or a phone is yours.",
    subcommands: [VerifyEmail.self, VerifyPhone.self])
}

/// `theater verify email`: verifies the account's address, or replaces it.
struct VerifyEmail: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "email", abstract: "Verify your e-mail address, or change it.")

  @Argument(help: "A new address; without it, your current one.")
  var address: String?
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let present = try await theater.get(AccountEndpoint.account.path())["user"]?["email"]?.string
    let end = try await CodePrompt(.email, to: address ?? present)
      .ask(.verifying(.email, at: theater))
    output.confirm("\(end.sentTo ?? "Your address") is verified.")
  }
}

/// `theater verify phone`.
struct VerifyPhone: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Verify a phone number, or change it.")

  @Argument(help: "The number with its country: \"+49 30 1234567\".")
  var number: String
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let end = try await CodePrompt(.phone, to: number).ask(.verifying(.phone, at: theater))
    output.confirm("\(end.sentTo ?? number) is verified.")
  }
}

/// Requests a one-time code and reads it: key by key in a terminal, otherwise as lines.
struct CodePrompt {
  let contact: CodeContact
  /// The address or number that gets the code; `nil` asks for it.
  let address: String?

  init(_ contact: CodeContact, to address: String?) {
    (self.contact, self.address) = (contact, address)
  }

  /// Takes the address or the number of the command line; `nil` for both asks for an address.
  init(email: String?, phone: String?) throws(ExitError) {
    guard email == nil || phone == nil else {
      throw ExitError(.wrongUsage, "give either --email or --phone")
    }
    self.init(phone == nil ? .email : .phone, to: phone ?? email)
  }

  /// The screen for a terminal, which requests the code at once if the address is known.
  var flow: CodeFlow { CodeFlow(contact.declaration, contact: address) }
  /// The screen for lines of input, which gets the address as its first line.
  var nonInteractiveFlow: CodeFlow { CodeFlow(contact.declaration) }

  /// Asks until a code is right.
  /// - Parameter isLeavable: Whether Escape leads from the address to the screen before.
  /// - Returns: The final state of the screen.
  /// - Throws: `ExitError`; without a terminal also at the first refusal.
  func ask(_ codes: RemoteCodes, isLeavable: Bool = false) async throws -> CodeFlow {
    guard !Prompt.isInteractive else {
      return try await CodeFlowView(isLeavable: isLeavable).run(flow.driver(codes))
    }
    let answers = NonInteractiveCode(prompt: contact.prompt, address: address)
    return try await NonInteractivePrompt.run(nonInteractiveFlow.driver(codes)) {
      try await answers.enter(&$0)
    }
  }
}
