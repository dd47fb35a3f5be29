import Devices
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// The end of the sound that a player's thread has written to its cable, to notice when all of it was
/// heard: a player may say "playing" only while sound comes. Safe from any thread.
final class SoundSupply: Sendable {
  private let written = Mutex(CablePosition(section: 0, frames: 0))

  /// Begins a new section of the cable.
  func begin(section: UInt32) {
    written.withLock { $0 = CablePosition(section: section, frames: 0) }
  }

  /// Counts frames that are about to be written to the section.
  func add(frames: Int) { written.withLock { $0.frames += frames } }

  /// Whether all written sound has been heard when `position` is the heard position.
  func isExhausted(at position: CablePosition) -> Bool {
    let written = written.withLock { $0 }
    return position.section == written.section && position.frames >= written.frames
  }
}

/// A detector of players that wait for sound; short gaps do not count.
struct SupplyMonitor {
  /// Interval between two calls of ``update(isOutOfSound:at:)``.
  static let interval = Duration.milliseconds(250)
  /// The time without sound after which a player counts as waiting.
  private static let patience = Duration.milliseconds(500)

  /// Whether the player waits for sound.
  private(set) var isWaiting = false
  private var outOfSoundSince: Duration?

  /// Updates ``isWaiting`` with whether the player is out of sound at `now`. Returns whether it has
  /// changed.
  mutating func update(isOutOfSound: Bool, at now: Duration) -> Bool {
    let since = isOutOfSound ? outOfSoundSince ?? now : nil
    outOfSoundSince = since
    let before = isWaiting
    isWaiting = since.map { now - $0 >= Self.patience } ?? false
    return isWaiting != before
  }
}

/// A stream and its sending end, which start the work of a background task.
struct Trigger<Element: Sendable>: Sendable {
  /// The requested work, for one reader.
  let requests: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation

  /// Creates a trigger that keeps the newest unread request, or all of them.
  init(
    buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) {
    (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: policy)
  }

  /// Requests work.
  func fire(_ element: Element) { continuation.yield(element) }

  /// Ends the stream.
  func finish() { continuation.finish() }
}

extension Trigger<Void> {
  /// Requests work.
  func fire() { fire(()) }
}

extension CableSource {
  /// Connects the cable; the sink may take 2 s to answer.
  func plug(into socket: CableSocket) async throws(DeviceError) {
    do {
      try await SystemThread.run(name: "plug") { () throws(CableError) in
        try self.connect(path: socket.path, token: socket.token)
      }
    } catch {
      throw DeviceError(.failed, error.message, hint: "Is the amplifier's plugin running?")
    }
  }
}
