/// A key of a device's reported state.
public enum StateKey: String, Sendable, Hashable, CaseIterable {
  /// `off`, `warming`, `on`, `cooling` or `unknown`.
  case power
  /// The name of the amplifier's selected input, or `null`.
  case input
  /// `stereo` or `surround`.
  case mode
  /// 0 to 100 %.
  case volume
  /// true or false.
  case muted
  /// An object: see `Playback`.
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

/// The origin of a value.
public enum Provenance: String, Sendable, Hashable, CaseIterable {
  /// The device reported it.
  case reported
  /// A command was accepted, and the device cannot report its state.
  case assumed
  /// Contact was lost since.
  case unknown
}

/// The five values of power. Commands wait out `warming` and `cooling`.
public enum Power: String, Sendable, Hashable, CaseIterable {
  case off, warming, on, cooling, unknown
}
