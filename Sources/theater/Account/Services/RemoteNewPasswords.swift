import AccountFlows
import JSON

/// Sets a forgotten password with the code that was right; it stays good until that is done.
struct RemoteReset: NewPasswordService {
  let codes: RemoteCodes
  let code: CodeScreen

  func set(_ password: TypedPassword) async throws(ScreenFailure) {
    _ = try await codes.confirm([
      "request": .string(code.ticket.request), "code": .string(code.code),
      "newPassword": .string(password.text),
    ])
  }
}

/// Changes a password for the present one.
struct RemotePasswordChange: NewPasswordService {
  let theater: RemoteTheater
  let present: String

  func set(_ password: TypedPassword) async throws(ScreenFailure) {
    _ = try await theater.post(
      "/api/v1/account/password",
      for: ["password": .string(present), "newPassword": .string(password.text)])
  }
}
