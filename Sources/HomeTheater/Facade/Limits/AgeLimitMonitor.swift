import Devices
import JSON
import Scenes

/// The check of the items that one player goes on to by itself: they must be within the age limit
/// of the user who chose last.
struct AgeLimitMonitor {
  /// The age limit in years of the user who chose last, that is began the activity, ran a scene, or
  /// told the player to play something or to skip; `nil` for no limit, and for an item that was put
  /// in at the player itself. A user with a lower limit who has let it go on since lowers it.
  var ageLimit: Int?
  /// The item that plays and is permitted; it may have begun before the choice.
  var passed: String?
  /// The generation of the player in which it was heard after the choice.
  var heardIn: Int?
  /// The run that stops a forbidden item.
  var stopping: Run?
  /// What was found last that may not.
  var found: LimitStop?
  /// The number of the last choice, over all players.
  var turn = 0
}

/// What was stopped because somebody who chose before is not old enough for it.
package struct LimitStop: Sendable, Hashable {
  /// Who began the activity, as its beginning was told; `nil` for a player beside it.
  package let user: String?
  /// The film, in a person's words: `"The Short Cut", rated 16`.
  package let words: String
  package let player: DeviceID

  init(_ item: String, _ entry: Catalogue.Entry?, user: String?, _ player: DeviceID) {
    self.user = user
    self.player = player
    let title = "\"\(entry?.item.title ?? item.quotation)\""
    words = title + (entry?.rating.map { ", rated \($0)" } ?? ", not in the library")
  }

  var error: TheaterError {
    TheaterError(
      .forbidden, "it went on to \(words), above the age limit of who chose: it is stopped",
      hint: "Choose another, or let somebody choose it who may watch it.", device: player)
  }

  /// What is told where it goes on all the same.
  func failure(_ reason: String) -> TheaterError {
    TheaterError(
      .deviceFailed,
      "it went on to \(words), above the age limit of who chose, and cannot be stopped: \(reason)",
      hint: "Stop it at the player; until then it is told again.", device: player)
  }
}

/// What a command does about the item in a player.
enum DiscMove {
  /// Plays an item, or lets the one that is there go on, perhaps elsewhere in it.
  case play(String?)
  /// Goes to another that the command does not name.
  case skip
  /// Leaves open what would play next.
  case release

  /// `nil` for what concerns no item.
  init?(_ command: Command) {
    switch (DVDPlayerCommand(command), CDPlayerCommand(command)) {
    case (.play(let request)?, _), (_, .play(let request)?): self = .play(request.item)
    case (.seek?, _), (_, .seek?): self = .play(nil)
    case (.next?, _), (.previous?, _), (_, .next?), (_, .previous?): self = .skip
    case (.stop?, _), (.eject?, _), (.off?, _), (_, .stop?), (_, .eject?), (_, .off?):
      self = .release
    default: return nil
    }
  }
}

extension Playback {
  /// Whether it is heard, or will be in a moment.
  var isHeard: Bool { status == .playing || status == .opening }

  /// Whether the player goes on with this item when it is told to. One that has stopped or ended may
  /// begin with another.
  var isHeld: Bool { isHeard || status == .paused }

  /// The item, where the player goes on with it.
  var heldItem: String? { isHeld ? item : nil }
}
