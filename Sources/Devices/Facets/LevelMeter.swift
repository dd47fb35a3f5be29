/// The measurement of an amplifier's sound levels.
public protocol LevelMeter: Sendable {
  /// Sets the receiver of the sound's levels, in place of the earlier one.
  ///
  /// While there is one, a device with the capability `levels` reports its levels up to 15 times a second
  /// while it sounds, also after a restart of its plugin. Other devices never do.
  ///
  /// - Parameter receive: Called on the thread on which a report arrives, so it must not wait; `nil` ends
  ///   the reports.
  func setLevelReceiver(_ receive: (@Sendable (SoundLevels) -> Void)?)
}
