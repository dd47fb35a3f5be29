import Glibc
import Platform
import Synchronization

/// An event of a sink, for the plugin's log and state; the audio thread reads the tap instead.
public enum CableSinkEvent: Sendable, Equatable {
  /// A source presented the token and is plugged in.
  case plugged
  /// The source has gone; the ring was emptied.
  case unplugged(CableError)
  /// A connection was refused.
  case refused(CableError)
}

/// The amplifier's end of a cable: listens at a path, accepts one source at a time, which must
/// present the token, and hands its sound to an audio thread through `tap`. Any thread may call the
/// methods.
public final class CableSink: Sendable {
  /// The audio thread's interface; valid for the life of this sink.
  public let tap: CableTap
  /// Becomes readable when something arrives after `tap.read` returned `.empty`; an idle audio
  /// thread polls it and calls `clearAudioEvent`.
  public var audioEvent: Int32 { core.audioEvent.descriptor }
  /// The sink's events, for one reader. Of unread events the newest 64 are kept.
  public let events: AsyncStream<CableSinkEvent>
  private let core: CableSinkCore

  /// Makes the socket and starts the I/O thread.
  /// - Parameters:
  ///   - path: the path of the socket, at most 107 bytes, in a folder of the owner's; made with
  ///     mode 0600 and removed by `close`.
  ///   - token: 64 lower-case hexadecimal digits, valid for one connection.
  ///   - ring: nanoseconds of sound between the socket and the audio thread, clamped to 20 ms…1 s.
  ///   - heard: whether the input is selected and the amplifier plays.
  /// - Throws: `CableError` for an invalid token, or if the socket or the thread cannot be made.
  public convenience init(
    path: String, token: String, ring: Int64 = 100_000_000, heard: Bool = false
  ) throws(CableError) {
    try self.init(
      path: path, token: token, ring: ring, heard: heard,
      confirmationTime: CableSinkCore.confirmationTime)
  }

  /// Makes the socket and starts the I/O thread.
  /// - Parameter confirmationTime: the time in which the audio thread must confirm a flush, ns.
  init(
    path: String, token: String, ring: Int64 = 100_000_000, heard: Bool, confirmationTime: Int64
  ) throws(CableError) {
    let (events, continuation) = AsyncStream.makeStream(
      of: CableSinkEvent.self, bufferingPolicy: .bufferingNewest(64))
    self.events = events
    core = try CableSinkCore(
      path: path, token: try CableToken(token), ring: min(max(ring, 20_000_000), 1_000_000_000),
      heard: heard, confirmationTime: confirmationTime, events: continuation)
    tap = core.tap
    let core = core
    do throws(CableError) {
      try SystemThread.startForCable { core.run() }
    } catch {
      core.close()
      core.run()
      throw error
    }
  }

  /// Accepts the next source that presents `token`; it replaces the present one. An earlier, unused
  /// token becomes void.
  public func expect(token: String) throws(CableError) {
    let token = try CableToken(token)
    core.changeControls { $0.token = token }
  }

  /// Tells the source whether its sound is played. Pass false if the input is not selected, or if
  /// the amplifier is off or has no device: the source then paces by its own clock, and the ring is
  /// emptied.
  public func setHeard(_ heard: Bool) { core.setHeard(heard) }

  /// Makes `audioEvent` unreadable until the next arrival.
  public func clearAudioEvent() { core.audioEvent.clear() }

  /// Ends the cable: removes the socket at once and informs the source. The tap stays readable.
  public func close() { core.close() }

  deinit { close() }
}

/// A checked token.
struct CableToken: Sendable {
  let text: String

  init(_ text: String) throws(CableError) {
    guard text.utf8.count == CableLimit.token,
      text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else {
      throw CableError(
        .token, "A cable's token has \(CableLimit.token) lower-case hexadecimal digits.")
    }
    self.text = text
  }

  /// Compares in a time that does not depend on where the tokens differ.
  func matches(_ other: String) -> Bool {
    guard other.utf8.count == text.utf8.count else { return false }
    return zip(other.utf8, text.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
