import AccountFlows
import ArgumentParser
import JSON
import TheaterAPI

/// `theater contacts`: the form for the e-mail address and the phone number of one's account.
struct ContactsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contacts", abstract: "Change your e-mail address and phone in a form.",
    discussion: "Each is verified by a code. Without a terminal: theater verify.")

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    try theater.requireSession("contacts")
    guard Prompt.isInteractive else {
      throw ExitError(
        .wrongUsage, "a form needs a terminal",
        hint: "Use \(ProgramName.name) verify email and \(ProgramName.name) verify phone.")
    }
    let rules = try await RemoteRegistration.rules(of: theater)
    let user = try await theater.get(AccountEndpoint.account.path())["user"]
    let contacts = AccountContacts(
      email: user?["email"]?.string ?? "", isEmailVerified: user?["emailVerified"]?.bool ?? false,
      phone: user?["phone"]?.string)
    let end = try await ContactSettingsView().run(
      ContactSettings(contacts, rules).driver(
        RemoteIdentity(), email: ContactCodes(contact: .email),
        phone: ContactCodes(contact: .phone)))
    let phone = end.contacts.phone ?? "your phone"
    output.confirm(
      "\(end.contacts.email) and \(phone) are verified.",
      ["email": .string(end.contacts.email), "phone": .string(phone)])
  }
}

/// Codes that verify a contact, each with the present session: a proof of identity replaces it.
private struct ContactCodes: CodeRequestService, CodeService {
  let contact: CodeContact

  func requestCode(for address: String) async throws(ScreenFailure) -> CodeTicket {
    try await codes().requestCode(for: address)
  }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    try await codes().verify(code, request: request)
  }

  private func codes() throws(ScreenFailure) -> RemoteCodes {
    .verifying(contact, at: try .withSession())
  }
}

/// Proves the identity of this user at their controller.
private struct RemoteIdentity: IdentityProofService {
  func prove(_ proof: IdentityProof) async throws(ScreenFailure) {
    let theater = try RemoteTheater.withSession()
    var fields: JSONObject = ["password": .string(proof.password)]
    if let factor = proof.factor { fields["code"] = .string(factor) }
    let answer = try await theater.post(
      SessionEndpoint.proveIdentity.path(), for: .object(fields))
    guard let token = answer["token"]?.string else {
      throw .network("The controller gave no token.")
    }
    try theater.session.save(SessionSecret(token))
  }
}

extension RemoteTheater {
  /// The controller with the session that this user has now.
  fileprivate static func withSession() throws(ScreenFailure) -> RemoteTheater {
    do throws(ExitError) {
      return try RemoteTheater()
    } catch {
      throw .network(error.text)
    }
  }
}
