import Devices

/// What a command changes about the item in a disc player.
enum ItemChange {
  /// Plays an item; `nil` resumes the current one, perhaps at another position.
  case play(String?)
  /// Changes to an item that the command does not name.
  case skip
  /// Releases the item; the next one is unknown.
  case release

  /// `nil` for a command that changes no item.
  init?(_ command: Command) {
    switch command.spec.effect {
    case .plays: self = .play(command.item)
    case .seeks: self = .play(nil)
    case .skips: self = .skip
    case .releases: self = .release
    case nil: return nil
    }
  }
}

extension Playback {
  /// Whether the player plays, or is about to.
  var isHeard: Bool { status == .playing || status == .opening }

  /// Whether the player goes on with its item when it is resumed. After a stop, or the end of the
  /// item, it may begin with another one.
  var isHeld: Bool { isHeard || status == .paused }

  /// The item, if the player goes on with it when it is resumed.
  var heldItem: String? { isHeld ? item : nil }
}
