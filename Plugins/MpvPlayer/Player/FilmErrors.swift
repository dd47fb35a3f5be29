import Devices
import Glibc
import MediaFolders
import Platform

extension String {
  /// The reason why a medium failed: mpv crashed or hung too often.
  static let tooManyRestarts =
    "mpv was started again \(RestartLimit.most) times, and crashed or hung again"

  /// The reason why a medium or a seek failed: it took too long.
  static func notBegun(within limit: Duration) -> String {
    "it did not begin to play within \(Int(limit / .seconds(1))) s"
  }
}

extension DeviceError {
  /// The error of lending a PCM to a player whose option `lending` is false.
  static let notLent = DeviceError(
    .unsupported, "this player does not borrow the amplifier's sound device",
    hint: "Set its option \"lending\" to true.")

  /// The error of an mpv that did not open the lent PCM in time, or with an empty name, did not close it.
  static func notHandedOver(_ pcm: String, within limit: Duration) -> DeviceError {
    let limit = "within \(Int(limit / .seconds(1))) s"
    if pcm.isEmpty {
      return DeviceError(
        .failed, "mpv did not close the lent PCM \(limit)",
        hint: "Turn the player off: this ends mpv.")
    }
    return DeviceError(
      .failed, "mpv could not open the lent PCM \"\(pcm)\" \(limit)",
      hint: "Another program may use it; see: fuser -v /dev/snd/*")
  }

  /// The error of a pause that mpv did not carry out.
  static func notPaused(_ failure: MpvFailure) -> DeviceError {
    DeviceError(.failed, "mpv did not pause: \(failure.text)")
  }

  /// The error of a command that a newer one has replaced.
  static let replaced = DeviceError(.cancelled, "it was replaced or given up")

  /// The error of a seek or a skip without a medium.
  static let nothingPlays = DeviceError(
    .notNow, "nothing is playing", hint: "Play a title first.")

  /// The error of `next` in the last song of a disc or folder.
  static let lastSong = DeviceError(.notNow, "this is the last song of the disc")

  /// The error of a drive that did not open.
  static func notEjected(_ path: String, _ error: SystemError) -> DeviceError {
    let hint =
      switch error.code {
      case EBUSY: "Another program uses the disc. End it, or see: fuser -v \(path)"
      case EACCES, EPERM: Drive.permissionHint
      default: "May this user open it? See: ls -l \(path)"
      }
    return DeviceError(
      .refused, "the drive \(path) did not open: \(error.description.lowercased())", hint: hint)
  }

  /// The error of `play` when the player has no disc, file or stream.
  static func nothingToPlay(isCD: Bool) -> DeviceError {
    DeviceError(
      .notNow, "there is no disc in the player",
      hint:
        "Choose a title from the list of \(isCD ? "songs" : "films"), or add a folder to the option "
        + "\"folders\".")
  }

  /// The error of a player whose earlier mpv processes do not end.
  static func tooManyStuck(_ count: Int) -> DeviceError {
    DeviceError(
      .unavailable, "\(count) processes of mpv do not end, because a disk or share does not answer",
      hint: "Connect the disk or share again, or unmount it with: umount -f -l PATH")
  }
}
