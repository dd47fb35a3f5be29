import AccountTestSupport
import Accounts
import Foundation
import Storage

/// An account service on a store in memory, with cheap hashes.
struct Household {
  static let cheap = Argon2Parameters(memoryKiB: 8, passes: 1, lanes: 1)
  static let password = "four friends at the movies"

  let clock = AccountClock()
  let database: TheaterDatabase
  let store: ProbeStore
  /// The stores of the database; the probe records calls to some of them.
  private(set) var stores: AccountStores
  let hashes = PasswordHasher.queue()
  /// The sent messages.
  let sentMessages = SentMessages()
  let accountService: AccountService

  init(hashing: Argon2Parameters = cheap, codes: CodePolicy = .standard) throws {
    database = try TheaterDatabase(inMemory: clock.wall)
    store = try ProbeStore(database)
    stores = database.accountStores
    stores.accounts = store
    stores.invitations = store
    stores.sessions = store
    accountService = AccountService(
      stores: stores, policy: AccountPolicy(codes: codes), hashing: hashing, hashes: hashes,
      delivery: sentMessages, clock: clock.wall,
      steady: clock.steady)
  }

  /// The same store after a restart of the controller, with nothing cached.
  func restarted(hashing: Argon2Parameters = cheap) -> AccountService {
    AccountService(
      stores: stores, hashing: hashing, delivery: sentMessages, clock: clock.wall,
      steady: clock.steady)
  }

  /// Registers the first owner, with the code from the console.
  @discardableResult
  func registerOwner(password: String = password) async throws -> Account {
    guard let code = try await accountService.open() else { throw Missing() }
    return try await accountService.registration.register(.owner(code.text, password: password))
  }

  /// Registers and logs in the first owner.
  func ownerLogsIn() async throws -> LoggedIn {
    try await registerOwner()
    return try await logIn()
  }

  func logIn(
    _ email: String = "anna@example.org", _ password: String = password
  ) async throws -> LoggedIn {
    try await accountService.logIn(PasswordCredentials(email: email, password: password))
  }

  struct Missing: Error {}
}

extension RegistrationRequest {
  static func owner(
    _ code: String, name: String = "Anna", email: String = "anna@example.org",
    password: String = Household.password
  ) -> RegistrationRequest {
    RegistrationRequest(
      admission: .setupCode(code), name: name, email: email, password: password)
  }

  static func guest(
    _ code: String, name: String = "Ben", email: String = "ben@example.org",
    password: String = Household.password
  ) -> RegistrationRequest {
    RegistrationRequest(
      admission: .invitation(code), name: name, email: email, password: password)
  }
}

/// Runs `body` as a request from an address in the network does.
func asking<Value: Sendable>(
  from address: String, device: DeviceToken? = nil,
  _ body: () async throws(AccountError) -> Value
) async throws(AccountError) -> Value {
  let result: Result<Value, AccountError> = await Origin.$current.withValue(
    Origin(address: address, device: "")
  ) {
    await DeviceToken.$presented.withValue(device) {
      do throws(AccountError) { return .success(try await body()) } catch { return .failure(error) }
    }
  }
  return try result.get()
}

/// Returns the error of `body`; nil if it succeeds.
func refusal<Value>(
  _ body: () async throws(AccountError) -> Value
) async -> AccountError? {
  do throws(AccountError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
