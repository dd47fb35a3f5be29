import Devices
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// The end of the sound that a player's thread has written to its cable, to notice when all of it was
/// heard: a player may say "playing" only while sound comes. Safe from any thread.
final class SoundSupply: Sendable {
  private struct Written {
    var position = CablePosition(section: 0, frames: 0)
    /// Frames per second.
    var rate = 1
  }
  private let written = Mutex(Written())

  /// Begins a new section of the cable, whose sound has `rate` frames per second.
  func begin(section: UInt32, rate: Int) {
    written.withLock {
      $0 = Written(position: CablePosition(section: section, frames: 0), rate: max(1, rate))
    }
  }

  /// Counts frames that are about to be written to the section.
  func add(frames: Int) { written.withLock { $0.position.frames += frames } }

  /// Returns for how long the written sound lasts when `position` is the heard position: zero when all
  /// of it was heard; at least a moment while an earlier section is heard.
  func remaining(at position: CablePosition) -> Duration {
    let written = written.withLock { $0 }
    guard position.section == written.position.section else { return .nanoseconds(1) }
    let frames = max(0, written.position.frames - position.frames)
    return .seconds(Double(frames) / Double(written.rate))
  }
}

/// A detector of players that wait for sound; short gaps do not count.
struct SupplyMonitor {
  /// The shortest and the longest interval between two calls of ``update(remaining:at:)``.
  private static let (shortestInterval, longestInterval) = (
    Duration.milliseconds(250), Duration.seconds(1)
  )
  /// The time without sound after which a player counts as waiting.
  private static let patience = Duration.milliseconds(500)

  /// Whether the player waits for sound.
  private(set) var isWaiting = false
  private var outOfSoundSince: Duration?

  /// Returns the time until the next update of a player whose written sound lasts for `remaining`: there
  /// is nothing to notice before its end, and each wake of an idle processor costs power.
  static func interval(remaining: Duration) -> Duration {
    min(max(remaining, shortestInterval), longestInterval)
  }

  /// Updates ``isWaiting`` of a player whose written sound lasts for `remaining` at `now`. Returns
  /// whether it has changed.
  mutating func update(remaining: Duration, at now: Duration) -> Bool {
    let since = remaining <= .zero ? outOfSoundSince ?? now : nil
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
