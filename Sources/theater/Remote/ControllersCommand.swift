import ArgumentParser
import JSON
import TheaterAPI

/// `theater controllers`: the controllers elsewhere whose certificates this user has confirmed.
struct ControllersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "controllers",
    abstract: "List, confirm and forget the certificates of controllers elsewhere.",
    discussion: """
      theater --at https://box:8080 COMMAND uses a controller elsewhere, or one of another user of \
      this machine. Its certificate is confirmed once, at the first use in a terminal or with \
      `theater controllers confirm`, and every other certificate is refused from then on.
      """,
    subcommands: [List.self, Confirm.self, Forget.self], defaultSubcommand: List.self)

  /// `theater controllers list`.
  struct List: ParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the controllers with their confirmed certificates.")
    @OptionGroup var output: OutputOptions

    func run() throws {
      let entries = try KnownControllers().read().entries
      let answer: JSON = [
        "controllers": .array(
          entries.map {
            ["address": .string("\($0.address)"), "fingerprint": .string("\($0.fingerprint)")]
          })
      ]
      try output.show(answer) { _ in
        guard !entries.isEmpty else { return "No controller elsewhere is confirmed." }
        var columns = Columns()
        for entry in entries { columns.add("\(entry.address)", "SHA-256 \(entry.fingerprint)") }
        return columns.text
      }
    }
  }

  /// `theater controllers confirm ADDRESS [FINGERPRINT]`.
  struct Confirm: AsyncParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Confirm a controller's certificate, also in place of an earlier one.",
      discussion: """
        With the fingerprint that `theater doctor` shows on the controller's machine nothing is \
        asked and nothing is sent: scripts use this. Without it the controller's certificate is \
        shown, and confirmed at the terminal.
        """)
    @Argument(help: "The controller's address: https://box:8080.")
    var address: RemoteAddress
    @Argument(help: "The SHA-256 of its certificate: AB:CD:…")
    var fingerprint: [String] = []
    @OptionGroup var output: OutputOptions

    func validate() throws { _ = try given() }

    func run() async throws {
      guard let given = try given() else {
        return try await CertificateConfirmation(address).compare()
      }
      let known = KnownControllers()
      try known.set(given, for: address, inPlaceOf: known.fingerprint(of: address))
      output.confirm(
        "Confirmed: \(address) SHA-256 \(given)",
        ["address": .string("\(address)"), "fingerprint": .string("\(given)")])
    }

    private func given() throws(ValidationError) -> CertificateFingerprint? {
      guard address.isEncrypted else {
        throw ValidationError("\(address) has no certificate: only https:// uses one.")
      }
      guard !fingerprint.isEmpty else { return nil }
      guard let given = CertificateFingerprint(fingerprint.joined(separator: " ")) else {
        throw ValidationError(
          "That is no SHA-256 fingerprint: expected 64 hexadecimal digits, as in AB:CD:…")
      }
      return given
    }
  }

  /// `theater controllers forget ADDRESS`.
  struct Forget: ParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget a controller: its certificate, and the session of a login.")
    @Argument(
      help: "The controller's address.",
      completion: .custom(KnownControllers.completions))
    var address: RemoteAddress
    @OptionGroup var output: OutputOptions

    func run() throws {
      let paths = ApplicationPaths()
      let known = KnownControllers(paths)
      guard let fingerprint = try known.fingerprint(of: address) else {
        throw ExitError(
          .failed, "\(address) is not known",
          hint: "List the controllers: \(ProgramName.name) controllers")
      }
      try known.set(nil, for: address, inPlaceOf: fingerprint)
      for path in [paths.token(at: address), paths.device(at: address)] { TokenFile(path).remove() }
      output.confirm("\(address) is forgotten.")
    }
  }
}

extension RemoteAddress: ExpressibleByArgument {
  init?(argument: String) {
    guard let address = try? RemoteAddress(argument) else { return nil }
    self = address
  }
}
