import Foundation
import Jobs
import Validation

/// The settings of an account service.
public struct AccountPolicy: Sendable {
  /// The rules for names, addresses and new passwords (C1).
  public let rules: RuleSet
  /// The lifetimes of the sessions of people and guests.
  public let sessionLifetime: SessionLifetime
  /// Seconds until an invitation expires; 7 days by default.
  public let invitationValidity: TimeInterval
  /// Length, validity and limits of one-time codes.
  public let codes: CodePolicy

  /// The rules and limits of docs/accounts.md.
  public static let standard = AccountPolicy()

  public init(
    rules: RuleSet = .standard, sessionLifetime: SessionLifetime = .standard,
    invitationValidity: TimeInterval = 7 * 86_400, codes: CodePolicy = .standard
  ) {
    self.rules = rules
    self.sessionLifetime = sessionLifetime
    self.invitationValidity = invitationValidity
    self.codes = codes
  }
}

/// Accounts, logins and sessions of the theater (F5), for every front end; knows neither HTTP nor
/// SQL. Each subject is a part with its own state.
///
/// Set `Origin.current` around each request: a request without one counts as a stranger's.
///
/// A class, because its parts together have several kilobytes, and tasks and closures would copy them.
public final class AccountService: Sendable {
  /// Logins, logouts and changes, for the rest of the program.
  public let events: AccountEvents
  /// The audit log, for the owners to read.
  public let audit: AuditLog
  /// The rules for names, addresses and new passwords, for every front end (C1).
  public let rules: RuleSet
  /// Creates accounts for holders of the setup code or an invitation.
  public let registration: Registration
  /// Opens, finds and ends sessions.
  public let sessions: Sessions
  /// Makes, lists and revokes invitations.
  public let invitations: Invitations
  /// Makes, lists and revokes guest passes.
  public let guestPasses: GuestPasses
  /// Makes, finds and revokes access tokens.
  public let tokens: AccessTokens
  /// Lists accounts; changes roles, age limits and names; removes accounts.
  public let people: AccountDirectory
  /// Verifies and changes the user's own address and number.
  public let contacts: Contacts
  /// Changes and resets passwords.
  public let passwords: Passwords
  /// Adds and removes the second factor, and makes recovery codes.
  public let secondFactor: SecondFactorSettings
  /// Delays and counts failed attempts.
  public let rateLimiter: RateLimiter

  /// The channels through which codes and notices are sent.
  public let channels: [CodeChannel]

  private let clock: WallClock
  private let passwordLogin: Login<PasswordLogin>
  private let codeLogin: Login<CodeLogin>
  private let codes: OneTimeCodes

  /// - Parameters:
  ///   - stores: Where accounts, invitations, sessions and the rest are kept.
  ///   - hashing: The cost of a password hash; tests make it cheap.
  ///   - hashes: Bounds how many hashes run and wait.
  ///   - delivery: Sends one-time codes and notices.
  public init(
    stores: AccountStores, policy: AccountPolicy = .standard,
    hashing: Argon2Parameters = .standard, hashes: JobQueue = PasswordHasher.queue(),
    delivery: any MessageDelivery = NoDelivery(), clock: WallClock = .system,
    steady: SteadyClock = .system, random: RandomSource = .system
  ) {
    let hasher = PasswordHasher(parameters: hashing, queue: hashes, random: random)
    self.clock = clock
    channels = CodeChannel.allCases.filter(delivery.supports)
    events = AccountEvents()
    audit = AuditLog(store: stores.audit, clock: clock)
    rules = policy.rules
    rateLimiter = RateLimiter(
      attempts: stores.attempts, devices: stores.devices, audit: audit, clock: steady,
      random: random)
    sessions = Sessions(
      store: stores.sessions, lifetime: policy.sessionLifetime, events: events, audit: audit,
      clock: clock, steady: steady, random: random)
    codes = OneTimeCodes(
      store: stores.codes, key: stores.key, delivery: delivery, rateLimiter: rateLimiter,
      policy: policy.codes, steady: steady, clock: clock, random: random)
    let factors = SecondFactors(
      store: stores.factors, key: stores.key, clock: clock, random: random)
    let currentPassword = CurrentPassword(
      contacts: stores.contacts, hasher: hasher, rateLimiter: rateLimiter)
    let announcer = ChangeAnnouncer(events: events, audit: audit, delivery: delivery)
    invitations = Invitations(
      store: stores.invitations, sessions: sessions, audit: audit, clock: clock, random: random,
      validity: policy.invitationValidity)
    registration = Registration(
      accounts: stores.accounts, contacts: stores.contacts, codes: codes,
      invitations: invitations, hasher: hasher,
      rateLimiter: rateLimiter, rules: policy.rules, events: events, audit: audit, clock: clock,
      random: random)
    guestPasses = GuestPasses(
      store: stores.guestPasses, sessions: sessions, rateLimiter: rateLimiter, events: events,
      audit: audit, clock: clock, random: random)
    people = AccountDirectory(
      store: stores.people, guestPasses: stores.guestPasses, sessions: sessions, rules: rules,
      events: events, audit: audit)
    tokens = AccessTokens(
      store: stores.tokens, contacts: stores.contacts, sessions: sessions,
      rateLimiter: rateLimiter, announcer: announcer, events: events, audit: audit, clock: clock,
      steady: steady, random: random)
    contacts = Contacts(
      store: stores.contacts, codes: codes, factors: factors, sessions: sessions, rules: rules,
      announcer: announcer, audit: audit)
    passwords = Passwords(
      accounts: stores.accounts, contacts: stores.contacts, codes: codes, factors: factors,
      current: currentPassword, hasher: hasher, rules: rules, sessions: sessions,
      announcer: announcer, audit: audit)
    secondFactor = SecondFactorSettings(
      factors: factors, contacts: stores.contacts, current: currentPassword, rules: rules,
      sessions: sessions, rateLimiter: rateLimiter, announcer: announcer, audit: audit)
    passwordLogin = Login(
      PasswordLogin(accounts: stores.accounts, hasher: hasher, factors: factors),
      sessions: sessions, events: events, audit: audit, rateLimiter: rateLimiter, clock: clock)
    codeLogin = Login(
      CodeLogin(codes: codes, contacts: stores.contacts, factors: factors), sessions: sessions,
      events: events, audit: audit, rateLimiter: rateLimiter, clock: clock)
  }

  /// Deletes expired records and, while there is no account, issues the code for the first owner.
  /// - Returns: The code to print on the console; nil when there is an account.
  /// - Throws: `storageFailed` when the store cannot be read.
  public func open() async throws(AccountError) -> EntryCode? {
    do throws(AccountError) {
      try await sessions.deleteExpired()
      try await invitations.deleteExpired()
      try await codes.deleteVoid()
      try await rateLimiter.deleteOldTallies()
    } catch  where error.code == .storageFull {
      // Nothing has to be deleted for people to log in, so a full disk is no reason to stop.
    }
    return try await registration.issueSetupCode()
  }

  /// Registers the holder of an invitation whose address or number is verified by a code (D10), and
  /// logs them in. Only success uses code and invitation up.
  /// - Throws: The errors of `Registration.register`; `codeWrong`; `codeExpired`, also when the code was
  ///   sent to another e-mail address; the errors of opening a session.
  public func register(
    _ request: RegistrationRequest, confirming code: CodeConfirmation
  ) async throws(AccountError) -> LoggedIn {
    try await passwordLogin.logIn(registered: registration.register(request, confirming: code))
  }

  /// Logs in with e-mail address and password.
  /// - Parameter progress: Called at the beginning of each stage.
  /// - Throws: `empty`, `malformed`, `tooLong`, `wrongCredentials`, `secondFactorNeeded`,
  ///   `tooManyTries`, `busy`, `cancelled`, `storageFull`, ….
  public func logIn(
    _ credentials: PasswordCredentials, progress: @Sendable (LoginStage) -> Void = { _ in }
  ) async throws(AccountError) -> LoggedIn {
    try await passwordLogin.logIn(credentials, progress: progress)
  }

  /// Logs in with the code that `sendLoginCode` sent.
  /// - Parameter progress: Called at the beginning of each stage.
  /// - Throws: `empty`, `malformed`, `codeWrong`, `codeExpired`, `secondFactorNeeded`,
  ///   `wrongCredentials` for a wrong second factor, ….
  public func logIn(
    _ credentials: CodeCredentials, progress: @Sendable (LoginStage) -> Void = { _ in }
  ) async throws(AccountError) -> LoggedIn {
    try await codeLogin.logIn(credentials, progress: progress)
  }

  /// Returns the login by another method, with the order of steps, the audit entries and the events of every login.
  ///
  /// The method proves all that its accounts need: a second factor is not asked for beyond it. Failed attempts are
  /// limited by account only where the method has a `claim`, and otherwise by the peer alone.
  public func login<Method: LoginMethod>(by method: Method) -> Login<Method> {
    Login(
      method, sessions: sessions, events: events, audit: audit, rateLimiter: rateLimiter,
      clock: clock)
  }

  /// Sends a login code where `destination` is a verified address or number. The answer is the same
  /// when it is not.
  /// - Throws: `deliveryUnavailable`, `tooEarly`, `busy`, ….
  public func sendLoginCode(
    to destination: CodeDestination
  ) async throws(AccountError) -> CodeRequest {
    try await codeLogin.method.sendCode(to: destination)
  }

  /// Authenticates the user of a session again, by password and second factor; the session gets a
  /// new token.
  /// - Throws: `wrongCredentials`; `forbidden` for guests, who have no password; the errors of a
  ///   login.
  public func prove(
    _ token: String, password: String, secondFactor: String? = nil
  ) async throws(AccountError) -> LoggedIn {
    let principal = try await sessions.resolve(token)
    guard let email = principal.email else { throw .guestsMayNot("do this") }
    do {
      return try await passwordLogin.prove(
        PasswordCredentials(email: email, password: password, secondFactor: secondFactor),
        renewing: token)
    } catch  where error == .wrongCredentials {
      // The session names the address; the user typed only the password.
      throw .wrongPassword
    }
  }

  /// Records that playback was stopped by an age limit.
  /// - Parameters:
  ///   - title: Of the item, and where it played.
  ///   - user: The account or guest pass that started it.
  public func recordLimitStop(of title: String, startedBy user: String?) async {
    var subject = title
    if let user { subject += ", begun by \(await people.displayName(of: AccountID(user)))" }
    await audit.record(.limitStopped, by: nil, about: subject, origin: .controller)
  }

  /// Records that browsers are shown another certificate from now on.
  /// - Parameters:
  ///   - fingerprint: As browsers show it.
  ///   - previous: The fingerprint until now.
  public func recordCertificate(_ fingerprint: String, replacing previous: String) async {
    await audit.record(
      .certificateRenewed, by: nil, about: "SHA-256 \(fingerprint), until now \(previous)",
      origin: .controller)
  }
}
