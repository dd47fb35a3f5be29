import AccountFlows
import ArgumentParser
import JSON

/// `theater verify`: proving that a mailbox or a phone is one's own.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove that an e-mail address or a phone is yours.",
    subcommands: [VerifyEmail.self, VerifyPhone.self])
}

/// `theater verify email`: the account's address, or a new one in its place.
struct VerifyEmail: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "email", abstract: "Verify your e-mail address, or change it.")

  @Argument(help: "A new address; your present one when not given.")
  var address: String?

  func run() async throws {
    let theater = try RemoteTheater()
    let present = try await theater.get("/api/v1/account")["user"]?["email"]?.string
    let end = try await CodePrompt(.email, to: address ?? present)
      .ask(.verifying(.email, at: theater))
    Console.say("\(end.sentTo ?? "Your address") is verified.")
  }
}

/// `theater verify phone`: a number for codes.
struct VerifyPhone: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Verify a phone number, or change it.")

  @Argument(help: "The number with its country: \"+49 30 1234567\".")
  var number: String

  func run() async throws {
    let theater = try RemoteTheater()
    let end = try await CodePrompt(.phone, to: number).ask(.verifying(.phone, at: theater))
    Console.say("\(end.sentTo ?? number) is verified.")
  }
}
