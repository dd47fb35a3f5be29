import Devices
import Foundation
import GRDB
import JSON
import Testing
import TheaterStorage

@testable import Storage

@Suite struct DeviceSettingsDatabaseTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  @Test("the settings of each device are kept across a restart, and replaced as a whole")
  func kept() async throws {
    let database = try fixture.open()
    let settings = database.deviceSettings
    #expect(try await settings.settings().isEmpty)
    let loud = DeviceSettings(role: .amplifier, values: [.volume: 71, .muted: true])
    let tuner = DeviceSettings(role: .tuner, values: [.band: "fm", .frequency: 98.5])
    try await settings.replace(["amp": loud, "tuner": tuner])
    let soft = DeviceSettings(role: .amplifier, values: [.volume: 20])
    try await settings.replace(["amp": soft])
    try database.close()
    let reopened = try fixture.open().deviceSettings
    #expect(try await reopened.settings() == ["amp": soft, "tuner": tuner])
    try await reopened.replace(["tuner": DeviceSettings(role: .tuner, values: [:])])
    #expect(try await reopened.settings() == ["amp": soft])
  }

  @Test("a broken row is left out, and the other rows are read")
  func broken() async throws {
    let database = try fixture.open()
    let rows: [(String, String, String, String)] = [
      ("amp", "volume", "amplifier", "20"), ("amp", "muted", "amplifier", "{\"broken"),
      ("amp", "mode", "amplifier", "\"quadro\""), ("amp", "power", "amplifier", "\"on\""),
      ("lamp", "brightness", "chandelier", "30"), ("cd", "shuffle", "cdPlayer", "true"),
      ("other", "volume", "amplifier", "1000"), ("tuner", "band", "tuner", "\"fm\""),
      ("tuner", "station", "tuner", "\"" + String(repeating: "x", count: 5000) + "\""),
    ]
    try await database.pool.write { database in
      for row in rows {
        try database.execute(
          sql: "INSERT INTO deviceSetting (device, key, role, value) VALUES (?, ?, ?, ?)",
          arguments: [row.0, row.1, row.2, row.3])
      }
    }
    let settings = try await database.deviceSettings.settings().filter { !$0.value.values.isEmpty }
    #expect(
      settings == [
        "amp": DeviceSettings(role: .amplifier, values: [.volume: 20]),
        "tuner": DeviceSettings(role: .tuner, values: [.band: "fm"]),
      ])
  }

  @Test("an older database gets the table, and keeps its rows")
  func migrates() async throws {
    try DurableFile.makeFolder(fixture.folder)
    try DurableFile.makeFile(fixture.file)
    let old = try DatabaseQueue(path: fixture.file)
    try DatabaseSchema.migrator.migrate(old, upTo: "10 wall tablets")
    try await old.write {
      try $0.execute(sql: "INSERT INTO position VALUES ('anna', 'jaws', 12, 1)")
    }
    try old.close()
    let database = try fixture.open()
    #expect(try await database.deviceSettings.settings().isEmpty)
    #expect(try await database.positions.position(item: "jaws", user: "anna") == 12)
  }
}
