import Devices
import GRDB
import JSON
import Storage

/// The stored settings of devices, such as volume and station.
package struct DeviceSettingsDatabase: Sendable {
  /// The most rows that are read; there are a few for each device of the configuration.
  private static let mostRows = 10_000
  /// The longest value that is read, in bytes: twice the longest name of a station.
  private static let longestValue = 1600

  let database: TheaterDatabase

  /// Returns the settings of each device. Rows that hold no valid setting are left out.
  /// - Throws: `failed` or `damaged`.
  package func settings() async throws(StorageError) -> [DeviceID: DeviceSettings] {
    let rows = try await database.attempt { database async throws in
      try await database.read { database in
        try Row.fetchAll(
          database,
          sql: """
            SELECT device, key, role, value FROM deviceSetting WHERE length(value) <= ? LIMIT ?
            """,
          arguments: [Self.longestValue, Self.mostRows]
        ).compactMap(StoredRow.init)
      }
    }
    var roles: [DeviceID: Role] = [:]
    var values: [DeviceID: [StateKey: JSON]] = [:]
    for row in rows {
      let device = DeviceID(row.device)
      guard let role = Role(rawValue: row.role), let key = StateKey(rawValue: row.key),
        let value = try? JSON(parsing: row.value), roles[device, default: role] == role
      else { continue }
      roles[device] = role
      values[device, default: [:]][key] = value
    }
    return roles.reduce(into: [:]) { settings, entry in
      settings[entry.key] = DeviceSettings(role: entry.value, values: values[entry.key] ?? [:])
    }
  }

  /// A row of the table; `nil` for one that holds no texts.
  private struct StoredRow: Sendable {
    let device, key, role, value: String

    init?(_ row: Row) {
      func text(_ column: String) -> String? { String.fromDatabaseValue(row[column]) }
      guard let device = text("device"), let key = text("key"), let role = text("role"),
        let value = text("value")
      else { return nil }
      (self.device, self.key, self.role, self.value) = (device, key, role, value)
    }
  }

  /// Replaces the settings of these devices, all or none; settings without values are removed.
  /// - Throws: `full` or `failed`.
  package func replace(_ settings: [DeviceID: DeviceSettings]) async throws(StorageError) {
    guard !settings.isEmpty else { return }
    try await database.attempt { database async throws in
      try await database.write { database in
        for (device, settings) in settings {
          try database.execute(
            sql: "DELETE FROM deviceSetting WHERE device = ?", arguments: [device.name])
          for (key, value) in settings.values {
            try database.execute(
              sql: "INSERT INTO deviceSetting (device, key, role, value) VALUES (?, ?, ?, ?)",
              arguments: [device.name, key.rawValue, settings.role.rawValue, value.text()])
          }
        }
      }
    }
  }
}
