import Accounts

extension AccountEvent {
  /// Whether it is the login of a person by a method, with the proof of that person's account.
  package func isLogin(of principal: SessionPrincipal, by method: String) -> Bool {
    guard case .loggedIn(principal, .account(let proof)) = self else { return false }
    return proof.method == method && proof.account.id == principal.account
  }
}
