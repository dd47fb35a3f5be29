import APIClient
import AccountFlows
import JSON
import NIOHTTP1

extension ScreenFailure {
  /// Reads the controller's refusal.
  init(_ answer: ControllerResponse) {
    let error = answer.json["error"]
    self = .refused(
      Refusal(
        error?["code"]?.string ?? "unknown", field: error?["field"]?.string,
        message: error?["message"]?.string
          ?? "The controller answered with the HTTP status \(answer.status).",
        hint: error?["hint"]?.string,
        retryAfter: answer.header("retry-after").flatMap { Int($0) },
        triesLeft: error?["triesLeft"]?.integer))
  }

  init(_ failure: ControllerConnectionError) {
    switch failure {
    case .notRunning(let address):
      self = .network("No controller is running: no process listens at \(address).")
    case .untrusted(let reason, let hint): self = .network("Nothing was sent: \(reason). \(hint)")
    case .broken(let reason): self = .network(reason)
    case .certificate: self = .network("Nothing was sent: \(failure.reason).")
    }
  }

  /// Returns the error that ends a screen, if neither another value of `field` nor a later attempt
  /// can fix this failure; else `nil`.
  func exitError(unlessFixableBy field: String) -> ExitError? {
    guard case .refused(let refusal) = self, refusal.field != field, refusal.retryAfter == nil
    else {
      return nil
    }
    return ExitError(self)
  }
}

extension ExitError {
  /// Describes the failure of a screen's request.
  init(_ failure: ScreenFailure) {
    switch failure {
    case .refused(let refusal):
      self.init(
        refusal.code == "notLoggedIn" ? .notLoggedIn : .failed, refusal.message,
        hint: HintedCommands.hint(refusal.hint, refusal: refusal.code))
      word = refusal.code
    default: self.init(.failed, failure.text)
    }
  }
}

extension RemoteTheater {
  /// Sends a screen's request.
  /// - Throws: `network` or `refused`.
  func post(_ path: String, for screen: JSON) async throws(ScreenFailure) -> JSON {
    let answer: ControllerResponse
    do throws(ControllerConnectionError) {
      answer = try await self.answer(.POST, path, screen)
    } catch {
      throw ScreenFailure(error)
    }
    guard answer.isSuccess else { throw ScreenFailure(answer) }
    return answer.json
  }
}
