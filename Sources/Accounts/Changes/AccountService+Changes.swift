extension AccountService {
  /// Tells of a change that is done: the rest of the program, the person, and the log.
  /// - Parameters:
  ///   - account: as it was before, with the address to which the notice goes.
  ///   - phone: a number that gets the notice too.
  ///   - subject: what it was changed to, where that is no secret.
  func announce(
    _ change: AccountChange, of account: Account, phone: PhoneNumber? = nil,
    about subject: String? = nil
  ) async {
    events.publish(.changed(account.id, account.role, change))
    proofs.notices.post(
      change, to: [.email(account.email)] + (phone.map { [.phone($0)] } ?? []))
    await audit.record(change.deed, by: AuditActor(account), about: subject)
  }
}
