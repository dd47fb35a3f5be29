extension AccountService {
  /// Forgets every failed guess at the account with this address, whether there is one or not.
  /// - Throws: `storageFull`, `storageFailed`.
  package func unlock(_ email: EmailAddress) async throws(AccountError) {
    try await throttle.unlock(email)
    await audit.record(.unlocked, by: nil, about: email.text)
  }
}
