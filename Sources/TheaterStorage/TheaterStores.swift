import Storage

/// What the theater keeps beside the accounts.
extension TheaterDatabase {
  /// The saved positions of each user (E10).
  package var positions: PositionDatabase { PositionDatabase(database: self, clock: clock) }

  /// The settings of devices that outlive a restart of the controller.
  package var deviceSettings: DeviceSettingsDatabase { DeviceSettingsDatabase(database: self) }

  /// What is on in each room, for the next start of the controller.
  package var activities: ActivityDatabase { ActivityDatabase(database: self) }
}
