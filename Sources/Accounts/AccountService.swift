import Foundation
import Validation

/// The numbers that a theater's owner could want otherwise.
package struct GatePolicy: Sendable {
  /// What names, addresses and new passwords must be like (C1).
  package let rules: RuleSet
  package let sessionLifetime: SessionLifetime
  /// Seconds until an invitation expires; 7 days unless said otherwise.
  package let invitationValidity: TimeInterval
  package let codes: CodePolicy

  package static let standard = GatePolicy()

  package init(
    rules: RuleSet = .standard, sessionLifetime: SessionLifetime = .standard,
    invitationValidity: TimeInterval = 7 * 86_400, codes: CodePolicy = .standard
  ) {
    self.rules = rules
    self.sessionLifetime = sessionLifetime
    self.invitationValidity = invitationValidity
    self.codes = codes
  }

  /// The rules for new passwords, with and without a second factor.
  var passwordRules: PasswordRules { PasswordRules(rules) }
}

/// The door of the theater: who may come in, and who is in (F5). Every front end asks this one
/// object; it knows neither HTTP nor SQL.
package struct AccountService: Sendable {
  /// What happens at the door, for the rest of the program.
  package let events: AccountEvents
  /// What happened at the door, for the owner to read later.
  package let audit: AuditLog
  /// What names, addresses and new passwords must be like, for every front end (C1).
  package let rules: RuleSet

  // For the extensions of `AccountService`, one a subject.
  let stores: GateStores
  let sessions: Sessions
  let invitations: Invitations
  let passwordLogin: Login<PasswordLogin>
  let codeLogin: Login<CodeLogin>
  let proofs: AccountProofs
  let throttle: RateLimiter
  let clock: WallClock
  let steady: SteadyClock
  let random: RandomSource
  private let setupCode = SetupCode()
  private let registration: Registration

  /// - Parameters:
  ///   - stores: where accounts, invitations and sessions are kept.
  ///   - hashing: what a hash of a password costs; tests make it cheap.
  ///   - hashes: bounds how many hashes run and wait.
  ///   - delivery: brings one-time codes and notices to people.
  package init(
    stores: GateStores, policy: GatePolicy = .standard, hashing: Argon2Parameters = .standard,
    hashes: RequestQueue = PasswordHasher.queue(), delivery: any MessageDelivery = NoDelivery(),
    clock: WallClock = .system, steady: SteadyClock = .system, random: RandomSource = .system
  ) {
    let events = AccountEvents()
    let hasher = PasswordHasher(parameters: hashing, queue: hashes, random: random)
    let sessions = Sessions(
      store: stores.sessions, lifetime: policy.sessionLifetime, clock: clock, steady: steady,
      random: random)
    let audit = AuditLog(store: stores.audit, clock: clock)
    self.events = events
    self.audit = audit
    rules = policy.rules
    self.stores = stores
    self.sessions = sessions
    self.clock = clock
    self.steady = steady
    self.random = random
    let throttle = RateLimiter(
      guesses: stores.guesses, devices: stores.devices, clock: steady, random: random)
    self.throttle = throttle
    invitations = Invitations(
      store: stores.invitations, clock: clock, random: random, validity: policy.invitationValidity)
    registration = Registration(
      accounts: stores.accounts, invitations: invitations, setupCode: setupCode, hasher: hasher,
      throttle: throttle, rules: policy.rules, events: events, clock: clock, random: random)
    let proofs = AccountProofs(
      stores: stores, delivery: delivery, hasher: hasher, throttle: throttle, policy: policy,
      steady: steady, clock: clock, random: random)
    self.proofs = proofs
    passwordLogin = Login(
      PasswordLogin(accounts: stores.accounts, hasher: hasher, factors: proofs.factors),
      sessions: sessions, events: events, audit: audit, throttle: throttle,
      clock: clock)
    codeLogin = Login(
      proofs.codeLogin, sessions: sessions, events: events, audit: audit, throttle: throttle,
      clock: clock)
  }

  /// Begins: forgets what has expired and, where there is no account yet, makes the code for the
  /// first owner.
  /// - Returns: the code to print on the console; nil where there is an account.
  /// - Throws: `storageFailed` where the store cannot be read.
  package func open() async throws(AccountError) -> EntryCode? {
    do throws(AccountError) {
      try await sessions.dropEnded()
      try await invitations.dropExpired()
      try await proofs.codes.dropVoid()
      try await throttle.dropOld()
    } catch  where error.code == .storageFull {
      // A full disk keeps nobody from the theater.
    }
    if try await stores.accounts.hasAccounts() { return nil }
    return setupCode.issue(from: random)
  }

  /// Makes an account for the holder of a code; logging in is the next step (E6).
  /// - Throws: see `Registration`: wrong input with its field, `codeInvalid`, `setupClosed`,
  ///   `taken`, `busy`, …
  package func register(_ request: RegistrationRequest) async throws(AccountError) -> Account {
    do throws(AccountError) {
      let account = try await registration.register(request)
      await audit.record(.registration, by: AuditActor(account), about: account.role.rawValue)
      return account
    } catch {
      if [.codeInvalid, .setupClosed, .taken].contains(error.code) {
        // An address that has not the form of one may be a password in the wrong field.
        let claimed = (try? EmailAddress(request.email)).map { AuditActor(claiming: $0) }
        await audit.record(.registration, by: claimed, outcome: .refused(error))
      }
      throw error
    }
  }

  /// Answers what a rule asks about a text (C8), for the holder of a code that admits somebody; the
  /// code stays good.
  /// - Throws: `codeInvalid`, `tooManyTries`, `setupClosed`, `empty`, `malformed`, ….
  package func answer(
    _ question: AnsweredQuestion, about text: String, for admission: Admission
  ) async throws(AccountError) -> Bool {
    try await registration.answer(question, about: text, for: admission)
  }

  /// Logs in with e-mail address and password.
  /// - Parameter progress: called at the beginning of each stage.
  /// - Throws: `empty`, `malformed`, `tooLong`, `wrongCredentials`, `secondFactorNeeded`,
  ///   `tooManyTries`, `busy`,
  ///   `cancelled`, `storageFull`, ….
  package func logIn(
    _ credentials: PasswordCredentials, progress: @Sendable (LoginStage) -> Void = { _ in }
  ) async throws(AccountError) -> LoggedIn {
    try await passwordLogin.logIn(credentials, progress: progress)
  }

  /// Whose token this is; counts as a use of the session.
  /// - Throws: `notLoggedIn`, `storageFailed`.
  package func resolve(_ token: String) async throws(AccountError) -> SessionPrincipal {
    try await sessions.resolve(token)
  }

  /// Ends the session of `token` at once (A10).
  /// - Throws: `notLoggedIn`; `storageFull` or `storageFailed` where it has ended, but a restart
  ///   could not know: repeat.
  package func logOut(_ token: String) async throws(AccountError) {
    var ended: SessionPrincipal?
    try await sessions.revoke(token) { principal in
      ended = principal
      events.publish(.loggedOut(principal))
    }
    if let ended { await audit.record(.logout, by: AuditActor(ended)) }
  }
}
