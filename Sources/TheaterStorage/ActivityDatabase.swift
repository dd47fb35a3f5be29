import Accounts
import Devices
import GRDB
import HomeTheater
import Storage

/// What is on in each room, for the next start of the controller.
package struct ActivityDatabase: ActivityStore {
  /// The most rooms that are read; a theater has a few.
  private static let mostRooms = 1000

  let database: TheaterDatabase

  /// Stores what is on in a room in place of what was; it is on the disk when this returns. A user who was
  /// deleted since the database was opened is left out; the user's activity may still be on.
  /// - Throws: `full` or `failed`.
  package func save(_ activity: StoredActivity) async throws(StorageError) {
    try await database.attempt { database async throws in
      try await database.write {
        try $0.execute(
          sql: """
            INSERT OR REPLACE INTO roomActivity
              (room, name, isScene, endScene, player, item, volumeLimit, ageLimit, user)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
              CASE WHEN ?9 IN (SELECT id FROM temp.deletedUser) THEN NULL ELSE ?9 END)
            """,
          arguments: [
            activity.room.name, activity.name, activity.isScene, activity.endScene,
            activity.player?.name, activity.item, activity.volumeLimit, activity.ageLimit,
            activity.user,
          ])
      }
    }
  }

  /// Removes what was on in a room; without a row it does nothing.
  /// - Throws: `full` or `failed`.
  package func removeActivity(in room: RoomID) async throws(StorageError) {
    try await database.attempt { database async throws in
      try await database.write {
        try $0.execute(sql: "DELETE FROM roomActivity WHERE room = ?", arguments: [room.name])
      }
    }
  }

  /// Returns what was on in all rooms, by the name of the room.
  /// - Throws: `failed` or `damaged`.
  package func activities() async throws(StorageError) -> [StoredActivity] {
    try await database.attempt { database async throws in
      try await database.read {
        try Row.fetchAll(
          $0, sql: "SELECT * FROM roomActivity ORDER BY room LIMIT ?", arguments: [Self.mostRooms]
        ).map(Self.activity)
      }
    }
  }

  private static func activity(_ row: Row) -> StoredActivity {
    let player: String? = row["player"]
    return StoredActivity(
      room: RoomID(row["room"]), name: row["name"], isScene: row["isScene"],
      endScene: row["endScene"], player: player.map { DeviceID($0) }, item: row["item"],
      user: row["user"], volumeLimit: row["volumeLimit"], ageLimit: row["ageLimit"])
  }
}
