import APIClient
import AccountFlows
import JSON
import NIOHTTP1

extension ScreenFailure {
  /// What the controller refused.
  init(_ answer: ControllerResponse) {
    let error = answer.json["error"]
    self = .refused(
      Refusal(
        error?["code"]?.string ?? "unknown", field: error?["field"]?.string,
        message: error?["message"]?.string ?? "The answer was \(answer.status).",
        hint: error?["hint"]?.string,
        retryAfter: answer.header("retry-after").flatMap { Int($0) },
        triesLeft: error?["triesLeft"]?.integer))
  }

  init(_ failure: ConnectionError) {
    switch failure {
    case .notRunning(let address): self = .network("Nobody answers at \(address).")
    case .untrusted(let reason, let hint): self = .network("Nothing was sent: \(reason). \(hint)")
    case .broken(let reason): self = .network(reason)
    }
  }

  /// The end of a screen on which neither something else in `field` nor some patience mends this.
  func ending(unlessMendedBy field: String) -> ExitError? {
    guard case .refused(let refusal) = self, refusal.field != field, refusal.retryAfter == nil
    else {
      return nil
    }
    return ExitError(self)
  }
}

extension ExitError {
  /// What a screen did not get.
  init(_ failure: ScreenFailure) {
    switch failure {
    case .refused(let refusal):
      self.init(
        refusal.code == "notLoggedIn" ? .notLoggedIn : .failed, refusal.message,
        hint: refusal.hint)
    default: self.init(.failed, failure.text)
    }
  }
}

extension RemoteTheater {
  /// Asks on behalf of a screen.
  /// - Throws: `network` or `refused`.
  func post(_ path: String, for screen: JSON) async throws(ScreenFailure) -> JSON {
    let answer: ControllerResponse
    do throws(ConnectionError) {
      answer = try await self.answer(.POST, path, screen)
    } catch {
      throw ScreenFailure(error)
    }
    guard answer.isSuccess else { throw ScreenFailure(answer) }
    return answer.json
  }
}
