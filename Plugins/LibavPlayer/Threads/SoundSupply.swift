import PluginKit
import Synchronization

/// How much sound a player's thread has given to its cable, to notice when it has run out: a player
/// may say "playing" only while sound comes.
final class SoundSupply: Sendable {
  /// How often a player looks.
  static let interval = Duration.milliseconds(250)
  /// Out of sound for so long, a player says that it waits.
  static let patience = Duration.milliseconds(500)

  private let written = Mutex<CablePosition>(CablePosition(section: 0, frames: 0))

  /// A new section of the cable begins.
  func begin(section: UInt32) {
    written.withLock { $0 = CablePosition(section: section, frames: 0) }
  }

  /// So many frames are about to be written to the section.
  func add(frames: Int) { written.withLock { $0.frames += frames } }

  /// Whether everything that was written has been heard at `position`.
  func isUsedUp(at position: CablePosition) -> Bool {
    let written = written.withLock { $0 }
    return position.section == written.section && position.frames >= written.frames
  }
}

/// Tells a moment without sound from a player that waits for more.
struct SupplyWatch {
  private var usedUpSince: Duration?

  /// Whether the player has been without sound for longer than ``SoundSupply/patience`` at `now`.
  mutating func isWaiting(_ isUsedUp: Bool, at now: Duration) -> Bool {
    guard isUsedUp else {
      usedUpSince = nil
      return false
    }
    let since = usedUpSince ?? now
    usedUpSince = since
    return now - since >= SoundSupply.patience
  }
}
