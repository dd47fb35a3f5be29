import APIClient
import JSON

extension ExitError {
  /// Reads the controller's refusal.
  init(_ answer: ControllerResponse) {
    let error = answer.json["error"]?.printable
    let refusal = error?["code"]?.string
    let status =
      answer.status == 500
      ? "something went wrong in the controller; its log says what"
      : "the answer was \(answer.status)"
    self.init(
      answer.status == 401 && refusal == "notLoggedIn" ? .notLoggedIn : .failed,
      error?["message"]?.string ?? status,
      hint: HintedCommands.hint(
        error?["hint"]?.string, refusal: refusal, device: error?["device"]?.string))
    word = refusal ?? word
    device = error?["device"]?.string
    step = error?["step"]?.string
  }

  /// Describes why a request has no response.
  init(_ failure: ControllerConnectionError) {
    switch failure {
    case .notRunning(.socket(let path)):
      self.init(
        .notRunning, "no controller is running: no process listens at \(path)",
        hint: """
          Start it: \(ProgramName.name) serve
            If another user or another machine runs it: \(ProgramName.name) \
          --at https://localhost:8080 …, with that machine's name
          """)
    case .notRunning:
      self.init(
        .notRunning, failure.reason,
        hint: "Check the address, and that the controller runs there. "
          + "Other machines reach it only with \"web\": {\"host\": …} in its devices.json.")
    case .broken(let reason):
      self.init(
        .failed, "the connection to the controller broke: \(reason)",
        hint: "Look at its log, and try again.")
    case .untrusted(let reason, let hint):
      self.init(.failed, "nothing was sent to the controller: \(reason)", hint: hint)
    case .certificate(let address, let found, let confirmed):
      self =
        confirmed.map { CertificateConfirmation.changed(address, found, from: $0) }
        ?? CertificateConfirmation.unknown(address, found)
    }
  }

  /// Describes an error that a request throws; `nil` for any other error.
  init?(requestError error: any Error) {
    switch error {
    case let error as ExitError: self = error
    case let failure as ControllerConnectionError: self.init(failure)
    case is CancellationError: self.init(.failed, "interrupted")
    default: return nil
    }
  }
}

extension ControllerConnectionError {
  /// The reason why a request has no response, without what to do.
  var reason: String {
    switch self {
    case .notRunning(let address): "no controller answers at \(address)"
    case .broken(let reason), .untrusted(let reason, _): reason
    case .certificate(let address, _, nil): "the certificate of \(address) is not confirmed yet"
    case .certificate(let address, _, _):
      "the certificate of \(address) is another one than you confirmed"
    }
  }
}
