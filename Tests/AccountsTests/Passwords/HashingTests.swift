import AccountTestSupport
import Foundation
import Jobs
import TestSupport
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct PasswordHasherTests {
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

  @Test("E1 E5a · two hashes run at once, 64 wait, the next is told that too many log in")
  func bounded() async throws {
    let queue = PasswordHasher.queue()
    let work = HeldWork()
    let jobs = (0..<66).map { _ in queue.submit { _ in work.run() } }
    await work.waitUntilRunning(2)
    #expect(queue.load == (2, 64))
    let password = try Password(Household.password)
    let hasher = PasswordHasher(parameters: Household.cheap, queue: queue)
    let error = await refusal { () async throws(AccountError) in try await hasher.hash(password) }
    #expect(error == .busy)
    work.finish(66)
    for job in jobs { try await job.value }
    #expect(work.most == 2)
    #expect(try await hasher.hash(password).text.isEmpty == false)
  }

  @Test("hashing runs off the cooperative pool, at low priority")
  func lowPriority() async throws {
    let nice = try await PasswordHasher.queue().run { _ in
      getpriority(Int32(bitPattern: PRIO_PROCESS.rawValue), 0)
    }
    #expect(nice == 10)
  }

  @Test("E1 · two hashes of one password differ")
  func salted() async throws {
    let password = try Password(Household.password)
    #expect(try await cheap.hash(password) != cheap.hash(password))
  }

  @Test(
    "E1 · a broken hash is an internal failure, not a match", arguments: ["", "$argon2id$", "x"])
  func broken(_ text: String) async throws {
    let password = try Password(Household.password)
    let error = await refusal { () async throws(AccountError) in
      try await cheap.verify(password, against: PasswordHash(text))
    }
    #expect(error?.code == .internalFailure)
  }
}
