import AccountFlows
import JSON
import Synchronization

/// Hands in the code of an app with what belongs to it, and keeps what the controller answers.
final class RemoteConfirmation: CodeService {
  private let theater: RemoteTheater
  private let path: String
  private let fields: JSONObject
  private let kept = Mutex<JSON>(.null)

  init(_ theater: RemoteTheater, at path: String, with fields: JSONObject = [:]) {
    (self.theater, self.path, self.fields) = (theater, path, fields)
  }

  /// The answer to the code that was right.
  var answer: JSON { kept.withLock { $0 } }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    var fields = fields
    fields["code"] = .string(code)
    let answer = try await theater.post(path, for: .object(fields))
    kept.withLock { $0 = answer }
    return .done
  }
}
