/// Makes and checks hashes of passwords, on threads of their own.
package struct PasswordHasher: Sendable {
  let parameters: Argon2Parameters
  private let queue: RequestQueue
  private let random: RandomSource

  /// - Parameters:
  ///   - parameters: what new hashes cost; hashes made with others are still checked.
  ///   - queue: shared by everything that hashes, since it bounds the memory.
  package init(
    parameters: Argon2Parameters = .standard, queue: RequestQueue = PasswordHasher.queue(),
    random: RandomSource = .system
  ) {
    self.parameters = parameters
    self.queue = queue
    self.random = random
  }

  /// A queue for hashes: two at once, since each holds 19 MiB, and few enough waiting that the last
  /// has its answer within two seconds.
  package static func queue() -> RequestQueue { RequestQueue(workers: 2, waiting: 64) }

  /// The hash of `password` with a new salt.
  /// - Throws: `busy`, `cancelled` or `internal`.
  func hash(_ password: Password) async throws(AccountError) -> PasswordHash {
    let salt = random.bytes(Argon2.saltBytes)
    return try await queue.run { [parameters] _ throws(AccountError) in
      try Argon2.hash(password, salt: salt, parameters: parameters)
    }
  }

  /// Whether `hash` is that of `password`. Without a hash it takes the same time and says no, so
  /// that an unknown account answers like a wrong password.
  /// - Throws: `busy`, `cancelled` or `internal`.
  func verify(
    _ password: Password, against hash: PasswordHash?
  ) async throws(AccountError) -> Bool {
    guard let hash else {
      _ = try await self.hash(password)
      return false
    }
    return try await queue.run { _ throws(AccountError) in
      try Argon2.verify(password, against: hash)
    }
  }

  /// Whether `hash` was made with other parameters than new ones are.
  func isOutdated(_ hash: PasswordHash) -> Bool {
    !hash.wasMade(with: parameters)
  }
}
