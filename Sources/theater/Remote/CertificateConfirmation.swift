import APIClient
import NIOHTTP1
import TheaterAPI

/// The question whether a certificate belongs to a controller, which a person answers once for each controller.
struct CertificateConfirmation: Sendable {
  let address: RemoteAddress
  let known: KnownControllers

  init(_ address: RemoteAddress, known: KnownControllers = KnownControllers()) {
    (self.address, self.known) = (address, known)
  }

  /// Asks the person if no certificate of the controller is confirmed yet, and records the answer.
  ///
  /// - Throws: `ExitError` if it is not confirmed, or if there is no terminal.
  func confirmIfUnknown() async throws {
    guard address.isEncrypted, try known.fingerprint(of: address) == nil else { return }
    let found = try await presentedFingerprint()
    guard Prompt.canAsk else { throw Self.unknown(address, found) }
    try ask(about: found, inPlaceOf: nil)
  }

  /// Compares the certificate that the controller presents with the confirmed one, and asks if they differ.
  func compare() async throws {
    let confirmed = try known.fingerprint(of: address)
    let found = try await presentedFingerprint()
    guard found != confirmed else {
      return Console.writeLine("\(address) has the confirmed certificate: SHA-256 \(found)")
    }
    guard Prompt.canAsk else {
      throw confirmed.map { Self.changed(address, found, from: $0) }
        ?? Self.unknown(address, found)
    }
    try ask(about: found, inPlaceOf: confirmed)
  }

  /// The fingerprint of the certificate that the controller presents. Sends no request.
  private func presentedFingerprint() async throws -> CertificateFingerprint {
    do {
      _ = try await ControllerClient(address.controller).send(.HEAD, "/")
    } catch ControllerConnectionError.certificate(_, let found, _) {
      return found
    }
    throw ExitError(.failed, "\(address) has shown no certificate")
  }

  private func ask(
    about found: CertificateFingerprint, inPlaceOf confirmed: CertificateFingerprint?
  ) throws(ExitError) {
    Prompt.writeQuestion(Self.question(address, found, inPlaceOf: confirmed))
    let answer = readLine(strippingNewline: true) ?? ""
    guard Self.isYes(answer, to: found) else {
      throw ExitError(
        .failed, "the certificate of \(address) is not confirmed; nothing was sent",
        hint: "Ask the owner of that machine for its fingerprint, then try again.")
    }
    try known.set(found, for: address, inPlaceOf: confirmed)
  }

  // MARK: Texts

  /// Whether an answer confirms the certificate: the word yes, or its fingerprint.
  static func isYes(_ answer: String, to found: CertificateFingerprint) -> Bool {
    answer.trimmed.lowercased() == "yes"
      || CertificateFingerprint(answer.trimmed) == found
  }

  /// The text before the answer.
  static func question(
    _ address: RemoteAddress, _ found: CertificateFingerprint,
    inPlaceOf confirmed: CertificateFingerprint?
  ) -> String {
    var lines: [String] = []
    if let confirmed {
      lines += [
        "The certificate of \(address) is another one than you confirmed:",
        "  SHA-256 \(confirmed)", "Now it is:", "  SHA-256 \(found)",
      ]
    } else {
      lines += ["You have not used \(address) yet. Its certificate is:", "  SHA-256 \(found)"]
    }
    lines.append(
      "Compare it with the one that `theater serve` and `theater doctor` show on that machine. "
        + "If it differs,\nsomeone else answers, and would get your password.")
    lines.append("Type yes if they are the same: ")
    return lines.joined(separator: "\n")
  }

  /// The error of a certificate that nobody has confirmed yet.
  static func unknown(
    _ address: some CustomStringConvertible, _ found: CertificateFingerprint
  ) -> ExitError {
    ExitError(
      .failed,
      "the certificate of \(address) is not confirmed yet; nothing was sent. It is SHA-256 \(found)",
      hint:
        "Compare it with the one that `theater doctor` shows on that machine, then confirm it once: "
        + "\(ProgramName.program) controllers confirm \(address) FINGERPRINT, or at a terminal without "
        + "FINGERPRINT.")
  }

  /// The error of another certificate than the confirmed one.
  static func changed(
    _ address: some CustomStringConvertible, _ found: CertificateFingerprint,
    from confirmed: CertificateFingerprint
  ) -> ExitError {
    ExitError(
      .failed, "the certificate of \(address) is another one than you confirmed; nothing was sent",
      hint: """
        confirmed: SHA-256 \(confirmed)
          now:       SHA-256 \(found)
          Either that machine has a new certificate, or someone else answers in its place. A new one stands in its \
        log, and `theater doctor` shows it there. If it is this one: \
        \(ProgramName.program) controllers confirm \(address) FINGERPRINT
        """)
  }
}
