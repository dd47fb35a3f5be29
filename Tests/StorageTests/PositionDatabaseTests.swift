import Foundation
import Testing
import TheaterStorage

@testable import Storage

@Suite struct PositionDatabaseTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  @Test("E10 · the last position of each user and item is kept, across a restart")
  func kept() async throws {
    let database = try fixture.open()
    let positions = database.positions
    try await positions.save(10, item: "jaws", user: "anna")
    try await positions.save(754.25, item: "jaws", user: "anna")
    try await positions.save(3, item: "jaws", user: "ben")
    try await positions.save(4, item: "alien", user: "anna")
    try database.close()

    let reopened = try fixture.open().positions
    #expect(try await reopened.position(item: "jaws", user: "anna") == 754.25)
    #expect(try await reopened.position(item: "jaws", user: "ben") == 3)
    #expect(try await reopened.position(item: "alien", user: "anna") == 4)
    #expect(try await reopened.position(item: "alien", user: "ben") == nil)
  }

  @Test("E10 · all positions of a user, and of no other, are listed")
  func all() async throws {
    let positions = try fixture.open().positions
    try await positions.save(10, item: "jaws", user: "anna")
    try await positions.save(20.5, item: "alien", user: "anna")
    try await positions.save(30, item: "jaws", user: "ben")
    let saved = try await positions.positions(user: "anna").sorted { $0.item < $1.item }
    #expect(saved.map(\.item) == ["alien", "jaws"])
    #expect(saved.map(\.seconds) == [20.5, 10])
    #expect(try await positions.positions(user: "eve").isEmpty)
  }

  @Test("E10 · the position that was saved last is listed first")
  func order() async throws {
    let positions = try fixture.open().positions
    for item in ["jaws", "alien", "metropolis", "jaws"] {
      fixture.advance(1)
      try await positions.save(10, item: item, user: "anna")
    }
    #expect(
      try await positions.positions(user: "anna").map(\.item) == ["jaws", "metropolis", "alien"])
  }

  @Test("E10 · a cleared position is gone for that user and item alone")
  func cleared() async throws {
    let positions = try fixture.open().positions
    try await positions.save(10, item: "jaws", user: "anna")
    try await positions.save(20, item: "jaws", user: "ben")
    try await positions.clear(item: "jaws", user: "anna")
    try await positions.clear(item: "never seen", user: "anna")
    #expect(try await positions.position(item: "jaws", user: "anna") == nil)
    #expect(try await positions.position(item: "jaws", user: "ben") == 20)
  }

  @Test("E10 · refuses an invalid position", arguments: [-1, .nan, .infinity])
  func invalid(_ seconds: Double) async throws {
    let positions = try fixture.open().positions
    let error = await refusal { () async throws(StorageError) in
      try await positions.save(seconds, item: "jaws", user: "anna")
    }
    #expect(error?.code == .invalid)
    #expect(try await positions.position(item: "jaws", user: "anna") == nil)
  }

  @Test(
    "E10 · items of any name are told apart",
    arguments: ["", "'; DROP TABLE position;--", "أمينة", "../../etc/passwd", "%"])
  func names(_ item: String) async throws {
    let positions = try fixture.open().positions
    try await positions.save(1, item: "a", user: "anna")
    try await positions.save(2, item: item, user: "anna")
    #expect(try await positions.position(item: item, user: "anna") == 2)
    #expect(try await positions.position(item: "a", user: "anna") == 1)
  }

  @Test("E10 · a name with the character NUL is refused, not mistaken for a shorter one")
  func nul() async throws {
    let positions = try fixture.open().positions
    try await positions.save(1, item: "a", user: "anna")
    for (item, user) in [("a\0b", "anna"), ("a", "anna\0")] {
      let errors = [
        await refusal { () async throws(StorageError) in
          try await positions.save(2, item: item, user: user)
        },
        await refusal { () async throws(StorageError) in
          try await positions.clear(item: item, user: user)
        },
        await refusal { () async throws(StorageError) in
          _ = try await positions.position(item: item, user: user)
        },
      ]
      #expect(errors.allSatisfy { $0?.code == .invalid })
    }
    #expect(try await positions.position(item: "a", user: "anna") == 1)
  }

  @Test("E10 · saves although the task was cancelled, as at the controller's end")
  func cancelled() async throws {
    let positions = try fixture.open().positions
    let saving = Task {
      while !Task.isCancelled { await Task.yield() }
      try await positions.save(12, item: "jaws", user: "anna")
    }
    saving.cancel()
    try await saving.value
    #expect(try await positions.position(item: "jaws", user: "anna") == 12)
  }
}
