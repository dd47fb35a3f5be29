import Accounts
import Devices
import GRDB
import HomeTheater
import Testing
import TheaterStorage

@testable import Storage

@Suite struct ActivityDatabaseTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  private static let film = StoredActivity(
    room: "lounge", name: "film", player: "dvd", item: "night-ferry", user: "anna",
    volumeLimit: 30, ageLimit: 12)
  private static let scene = StoredActivity(
    room: "kitchen", name: "chimes", isScene: true, endScene: "over", player: "cd")

  @Test("what is on in each room is kept across a restart, until it is removed")
  func kept() async throws {
    let database = try fixture.open()
    var film = Self.film
    try await database.activities.save(film)
    film.item = "the-short-cut"
    for activity in [film, Self.scene] { try await database.activities.save(activity) }
    try database.close()
    let reopened = try fixture.open().activities
    #expect(try await reopened.activities() == [Self.scene, film])
    try await reopened.removeActivity(in: "kitchen")
    try await reopened.removeActivity(in: "cellar")
    #expect(try await reopened.activities() == [film])
  }

  @Test("what a person has begun is nobody's once the person is deleted, its limits stay")
  func deleted() async throws {
    let database = try fixture.open()
    try await database.activities.save(Self.film)
    try await database.pool.write { try DeletedUsers.insert("VALUES (?)", ["anna"], in: $0) }
    var nobody = Self.film
    nobody.user = nil
    #expect(try await database.activities.activities() == [nobody])
    try await database.activities.save(Self.film)
    #expect(try await database.activities.activities() == [nobody])
  }

  @Test("saves although the task was cancelled, as at the controller's end")
  func cancelled() async throws {
    let activities = try fixture.open().activities
    let save = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await activities.save(Self.film)
    }
    try await save.value
    #expect(try await activities.activities() == [Self.film])
  }

  @Test("an older database gets the table, and keeps its rows")
  func migrates() async throws {
    try DurableFile.makeFolder(fixture.folder)
    try DurableFile.makeFile(fixture.file)
    let old = try DatabaseQueue(path: fixture.file)
    try DatabaseSchema.migrator.migrate(old, upTo: "12 access tokens")
    try await old.write {
      try $0.execute(sql: "INSERT INTO position VALUES ('anna', 'jaws', 12, 1)")
    }
    try old.close()
    let database = try fixture.open()
    #expect(try await database.activities.activities().isEmpty)
    #expect(try await database.positions.position(item: "jaws", user: "anna") == 12)
  }
}
