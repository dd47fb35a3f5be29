/// Something that a device reports of itself.
public enum StateKey: String, Sendable, Hashable, CaseIterable {
  /// `off`, `warming`, `on`, `cooling` or `unknown`.
  case power
  /// Which input the amplifier hears.
  case input
  /// `stereo` or `surround`.
  case mode
  /// 0 to 100 %.
  case volume
  /// true or false.
  case muted
  /// What a player plays: see `Playback`.
  case playback
  /// `open`, `closed` or `moving`.
  case tray
  /// `surround` or `twoChannel`.
  case audio
  /// `am` or `fm`.
  case band
  /// kHz on AM, MHz on FM.
  case frequency
  /// The name of the station, `null` between stations.
  case station
  /// `tv` or `wideScreen`.
  case picture
  /// 0 to 100 %.
  case brightness
  /// The screen's: `up`, `down`, `moving` or `stopped`.
  case position
  /// `idle`, `popping`, or `done` until the popper is used again or turned off.
  case popping
}

/// How a value is known.
public enum Provenance: String, Sendable, Hashable, CaseIterable {
  /// The device said so.
  case reported
  /// A command was accepted and nothing contradicts it; the device cannot tell.
  case assumed
  /// Nobody knows.
  case unknown
}

/// The five values of power. Commands wait out `warming` and `cooling`.
public enum Power: String, Sendable, Hashable, CaseIterable {
  case off, warming, on, cooling, unknown
}
