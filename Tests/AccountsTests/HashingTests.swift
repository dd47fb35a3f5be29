import Foundation
import Synchronization
import Testing

@testable import Accounts

@Suite struct PasswordHasherTests {
  private let cheap = PasswordHasher(parameters: Household.cheap)

  @Test("E1 · a hash is an Argon2id PHC string of 19 MiB, two passes and one lane")
  func standard() async throws {
    let hasher = PasswordHasher()
    let password = try Password(Household.password)
    let hash = try await hasher.hash(password)
    #expect(hash.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(try await hasher.verify(password, against: hash))
    #expect(try await !hasher.verify(Password("another password"), against: hash))
    #expect(!hasher.isOutdated(hash))
    #expect(cheap.isOutdated(hash))
  }

  @Test("E1 · a hash of the reference implementation is understood")
  func reference() async throws {
    let hash = PasswordHash(
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
    #expect(try await cheap.verify(Password("password"), against: hash))
    #expect(try await !cheap.verify(Password("Password"), against: hash))
  }

  @Test("A8 · every byte of a password counts, the 73rd and the 1,024th too")
  func whole() async throws {
    for count in [72, 1023] {
      let start = String(repeating: "x", count: count)
      let hash = try await cheap.hash(Password(start + "a"))
      #expect(try await cheap.verify(Password(start + "a"), against: hash))
      #expect(try await !cheap.verify(Password(start + "b"), against: hash))
      #expect(try await !cheap.verify(Password(start), against: hash))
    }
    let hash = try await cheap.hash(Password("before\0after"))
    #expect(try await !cheap.verify(Password("before\0AFTER"), against: hash))
  }

  @Test("E1 · two hashes of one password differ")
  func salted() async throws {
    let password = try Password(Household.password)
    #expect(try await cheap.hash(password) != cheap.hash(password))
  }

  @Test("E1 · a broken hash is an internal failure, not a yes", arguments: ["", "$argon2id$", "x"])
  func broken(_ text: String) async throws {
    let password = try Password(Household.password)
    let error = await refusal { () async throws(AccountError) in
      try await cheap.verify(password, against: PasswordHash(text))
    }
    #expect(error?.code == .internalFailure)
  }
}

@Suite(.timeLimit(.minutes(1))) struct HashingThreadsTests {
  /// Work that begins, and ends when it is told to.
  private final class Work: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let counts = Mutex((running: 0, most: 0, done: 0))

    var running: Int { counts.withLock { $0.running } }
    var most: Int { counts.withLock { $0.most } }
    var done: Int { counts.withLock { $0.done } }

    func run() {
      counts.withLock {
        $0.running += 1
        $0.most = max($0.most, $0.running)
      }
      gate.wait()
      counts.withLock {
        $0.running -= 1
        $0.done += 1
      }
    }

    func finish(_ count: Int) { for _ in 0..<count { gate.signal() } }
  }

  private func reach(_ threads: HashingThreads, running: Int, waiting: Int) async {
    while threads.load != (running, waiting) { await Task.yield() }
  }

  @Test("two hashes run at once, the others wait their turn, and no thread stays")
  func bounded() async throws {
    let threads = HashingThreads(atOnce: 2, waiting: 64)
    let work = Work()
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 { group.addTask { try await threads.run { work.run() } } }
      await reach(threads, running: 2, waiting: 18)
      while work.running < 2 { await Task.yield() }
      work.finish(20)
      try await group.waitForAll()
    }
    #expect(work.most == 2)
    #expect(work.done == 20)
    #expect(threads.begun == 20)
    await reach(threads, running: 0, waiting: 0)
  }

  @Test("a full queue answers busy at once, and takes work again when it has room")
  func full() async throws {
    let threads = HashingThreads(atOnce: 1, waiting: 1)
    let work = Work()
    try await withThrowingTaskGroup { group in
      for _ in 0..<2 { group.addTask { try await threads.run { work.run() } } }
      await reach(threads, running: 1, waiting: 1)
      let error = await refusal { () async throws(AccountError) in
        try await threads.run { work.run() }
      }
      #expect(error == .busy)
      work.finish(2)
      try await group.waitForAll()
    }
    #expect(try await threads.run { 7 } == 7)
  }

  @Test("who is cancelled while waiting leaves the queue, before and after joining it")
  func cancelled() async throws {
    let threads = HashingThreads(atOnce: 1, waiting: 8)
    let work = Work()
    async let first: Void = threads.run { work.run() }
    await reach(threads, running: 1, waiting: 0)
    let second = Task {
      await refusal { () async throws(AccountError) in
        try await threads.run { work.run() }
      }
    }
    await reach(threads, running: 1, waiting: 1)
    second.cancel()
    #expect(await second.value == .cancelled)
    #expect(threads.load == (1, 0))

    let third = Task {
      while !Task.isCancelled { await Task.yield() }
      return await refusal { () async throws(AccountError) in
        try await threads.run { work.run() }
      }
    }
    third.cancel()
    #expect(await third.value == .cancelled)
    work.finish(1)
    try await first
    #expect(work.done == 1)
  }

  @Test("hashing runs off the cooperative pool, at low priority")
  func lowPriority() async throws {
    let threads = HashingThreads()
    let nice = try await threads.run { getpriority(Int32(bitPattern: PRIO_PROCESS.rawValue), 0) }
    #expect(nice == 10)
  }
}
