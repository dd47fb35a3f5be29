import Devices
import JSON

/// What one player may go on to by itself: what whoever chose last what it plays is old enough for.
struct PlayerWatch {
  /// How far whoever chose last may go: who began the activity, ran a scene, or told the player to
  /// play something or to skip.
  var chooser = Allowance.everything
  /// The item that plays since then or from before, and may.
  var passed: String?
  /// Whether something was heard since the choice.
  var hasPlayed = false
  /// Stops an item that may not.
  var stopping: Run?
  /// What was found last that may not.
  var found: LimitStop?
  /// Rises with each choice.
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
  /// Plays an item, or what is there already.
  case play(String?)
  /// Goes to another that the command does not name.
  case skip
  /// Leaves open what would play next.
  case release

  /// `nil` for what concerns no item.
  init?(_ command: Command) {
    switch (DVDPlayerCommand(command), CDPlayerCommand(command)) {
    case (.play(let request)?, _), (_, .play(let request)?): self = .play(request.item)
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
}
