import Accounts
import Foundation
import Storage
import Synchronization
import Testing

/// The clocks of a machine, which stand still until a test moves them.
final class ManualClock: Sendable {
  private struct Times {
    var day = Date(timeIntervalSince1970: 1_800_000_000)
    var boot = 1
    var sinceBoot: Int64 = 100_000
  }
  private let times = Mutex(Times())
  private let sleepers = Mutex<[Int: AsyncStream<Void>.Continuation]>([:])
  private let nextSleeper = Mutex(0)

  var wall: WallClock {
    WallClock {
      self.now
    } sleep: { date in
      try await self.wait { self.now >= date }
    }
  }
  var steady: SteadyClock {
    SteadyClock {
      self.steadyNow
    } sleep: { time in
      try await self.wait { self.steadyNow.milliseconds >= time.milliseconds }
    }
  }
  /// The number of tasks that wait for a time.
  var waiting: Int { sleepers.withLock { $0.count } }
  var now: Date { times.withLock { $0.day } }
  var steadyNow: SteadyTime {
    times.withLock { SteadyTime(boot: "boot \($0.boot)", milliseconds: $0.sinceBoot) }
  }

  /// Moves both clocks.
  func advance(_ seconds: TimeInterval) {
    times.withLock {
      $0.day = $0.day.addingTimeInterval(seconds)
      $0.sinceBoot += Int64(seconds * 1000)
    }
    wake()
  }

  /// Sets the time of day only.
  func set(_ day: Date) {
    times.withLock { $0.day = day }
    wake()
  }

  /// Restarts the machine: the steady clock begins again.
  func reboot() {
    times.withLock {
      $0.boot += 1
      $0.sinceBoot = 20_000
    }
  }

  private func wake() {
    for sleeper in sleepers.withLock({ Array($0.values) }) { sleeper.yield() }
  }

  private func wait(until isReached: @Sendable () -> Bool) async throws {
    let (moves, sleeper) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = nextSleeper.withLock { number in
      number += 1
      return number
    }
    sleepers.withLock { $0[number] = sleeper }
    defer { sleepers.withLock { $0[number] = nil } }
    if isReached() { return }
    for await _ in moves where isReached() { return }
    throw CancellationError()
  }
}

/// An account service on a store in memory, with cheap hashes.
struct Household {
  static let cheap = Argon2Parameters(memoryKiB: 8, passes: 1, lanes: 1)
  static let password = "four friends at the movies"

  let clock = ManualClock()
  let database: TheaterDatabase
  let store: ProbeStore
  /// The stores of the database; the probe records calls to some of them.
  private(set) var stores: AccountStores
  let hashes = PasswordHasher.queue()
  /// The sent messages.
  let box = SentMessages()
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
      delivery: box, clock: clock.wall,
      steady: clock.steady)
  }

  /// The same store after a restart of the controller, with nothing cached.
  func restarted(hashing: Argon2Parameters = cheap) -> AccountService {
    AccountService(
      stores: stores, hashing: hashing, delivery: box, clock: clock.wall, steady: clock.steady)
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

/// Runs the tests of a suite as requests from the terminal of this machine.
struct TerminalOrigin: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Origin.$current.withValue(.terminal(user: nil, device: ""), operation: function)
  }
}

extension Trait where Self == TerminalOrigin {
  static var fromTerminal: Self { Self() }
}
