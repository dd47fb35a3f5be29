import AccountFlows
import Accounts

/// The service behind the login screen: the accounts of this process.
struct LocalLogin: LoginService {
  let service: AccountService

  func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoginAnswer {
    do {
      let opened: LoggedIn
      switch credentials.proof {
      case .password(let password, let email):
        opened = try await service.logIn(
          PasswordCredentials(email: email, password: password, secondFactor: credentials.code))
      case .oneTimeCode(let code, let request):
        opened = try await service.logIn(
          CodeCredentials(request: request, code: code, secondFactor: credentials.code))
      }
      let person = LoggedInPerson(
        name: opened.principal.name, email: opened.principal.email ?? "")
      return .loggedIn(person, SessionSecret(opened.token.text))
    } catch  where error.code == .secondFactorNeeded {
      return .secondFactorNeeded
    } catch {
      throw ScreenFailure(error)
    }
  }

  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    do {
      let request = try await service.sendLoginCode(to: .email(EmailAddress(contact)))
      return CodeTicket(
        request: request.id.text, length: request.digits,
        wait: Int(request.resendWait.components.seconds), destination: contact)
    } catch {
      throw ScreenFailure(error)
    }
  }
}

/// Keeps no secret of a session: this program ends at once.
struct NoTokens: TokenStore {
  func save(_ token: SessionSecret) {}
}

extension ScreenFailure {
  /// A refusal in the words of the accounts.
  init(_ error: AccountError) {
    self = .refused(
      Refusal(
        error.code.rawValue, field: error.field?.rawValue, message: error.message,
        hint: error.hint, retryAfter: error.retryAfter, triesLeft: error.triesLeft))
  }
}
