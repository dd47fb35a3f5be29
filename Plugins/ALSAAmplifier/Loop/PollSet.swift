import CALSA
import Platform

/// The descriptors that the audio thread waits on: its wake-up descriptor, its source's, and the device's.
struct PollSet {
  private static let limit = 16
  private let entries = UnsafeMutablePointer<pollfd>.allocate(capacity: limit)
  private var idleWakes = 0

  /// Creates a set with the wake-up descriptor alone.
  init(wakeup: WakeupDescriptor) {
    entries.initialize(repeating: pollfd(), count: Self.limit)
    entries[0] = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
  }

  /// Frees its memory.
  func release() { entries.deallocate() }

  /// Waits until the wake-up descriptor or `source` is readable, `pcm` has room, or `milliseconds`
  /// have passed (−1: no limit); then clears the wake-up descriptor.
  mutating func sleep(_ milliseconds: Int, source: Int32?, pcm: OpaquePointer?) {
    // A descriptor of −1 is left out by `poll`.
    entries[1] = pollfd(fd: source ?? -1, events: Int16(POLLIN), revents: 0)
    var count = 2
    var limit = milliseconds
    // Some plugins of libasound are ready long before there is room, so wait a little instead of
    // spinning.
    if let pcm, idleWakes < 4 {
      let ready = snd_pcm_poll_descriptors(pcm, entries + 2, UInt32(Self.limit - 2))
      if ready > 0 { count += Int(ready) }
    } else if pcm != nil {
      limit = min(limit < 0 ? .max : limit, 5)
      idleWakes = 0
    }
    guard poll(entries, nfds_t(count), Int32(clamping: limit)) > 0 else { return }
    for index in 0..<2 where entries[index].revents != 0 { Self.drain(entries[index].fd) }
    guard count > 2, let pcm else { return }
    var events: UInt16 = 0
    _ = snd_pcm_poll_descriptors_revents(pcm, entries + 2, UInt32(count - 2), &events)
    if events != 0 { idleWakes += 1 }
  }

  /// Records that frames were written since the last wake.
  mutating func resetIdleWakes() { idleWakes = 0 }

  private static func drain(_ descriptor: Int32) {
    var bytes: UInt64 = 0
    _ = read(descriptor, &bytes, 8)
  }
}
