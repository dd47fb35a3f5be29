import Jobs

/// Hashes and verifies passwords on threads of low priority.
public struct PasswordHasher: Sendable {
  let parameters: Argon2Parameters
  private let queue: JobQueue
  private let random: RandomSource

  /// - Parameters:
  ///   - parameters: The cost of new hashes; hashes made with others are still verified.
  ///   - queue: Shared by everything that hashes, as it bounds the memory.
  public init(
    parameters: Argon2Parameters = .standard, queue: JobQueue = PasswordHasher.queue(),
    random: RandomSource = .system
  ) {
    self.parameters = parameters
    self.queue = queue
    self.random = random
  }

  /// A queue for hashes: two at once, as each takes 19 MiB, and at most 64 waiting, so that the last is
  /// done within two seconds, or four while an activity is on.
  public static func queue() -> JobQueue {
    JobQueue(workers: workers(duringActivity: false), capacity: 64)
  }

  /// The number of hashes at once. Two would take both cores of a small machine from a film.
  public static func workers(duringActivity: Bool) -> Int { duringActivity ? 1 : 2 }

  /// Hashes `password` with a new salt.
  /// - Throws: `busy`, `cancelled` or `internal`.
  func hash(_ password: Password) async throws(AccountError) -> PasswordHash {
    let salt = random.bytes(Argon2.saltBytes)
    return try await run { [parameters] () throws(AccountError) in
      try Argon2.hash(password, salt: salt, parameters: parameters)
    }
  }

  /// Whether `hash` is that of `password`. Without a hash it takes the same time and returns false, so
  /// that an unknown account cannot be told from a wrong password.
  /// - Throws: `busy`, `cancelled` or `internal`.
  func verify(
    _ password: Password, against hash: PasswordHash?
  ) async throws(AccountError) -> Bool {
    guard let hash else {
      _ = try await self.hash(password)
      return false
    }
    return try await run { () throws(AccountError) in
      try Argon2.verify(password, against: hash)
    }
  }

  private func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    do throws(JobError<AccountError>) {
      return try await queue.run { _ throws(AccountError) in try work() }
    } catch {
      throw AccountError(error)
    }
  }

  /// Whether `hash` was made with parameters that differ from those of new hashes.
  func isOutdated(_ hash: PasswordHash) -> Bool {
    !hash.wasMade(with: parameters)
  }
}
