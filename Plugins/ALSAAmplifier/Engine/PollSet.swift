import CALSA

/// The descriptors that the audio thread waits on: its bell, and the device's.
struct PollSet {
  private static let limit = 16
  private let entries = UnsafeMutablePointer<pollfd>.allocate(capacity: limit)
  private var idleWakes = 0

  /// A set with the bell alone.
  init(bell: Bell) {
    entries.initialize(repeating: pollfd(), count: Self.limit)
    entries[0] = pollfd(fd: bell.listening, events: Int16(POLLIN), revents: 0)
  }

  /// Gives back its memory.
  func release() { entries.deallocate() }

  /// Waits for the bell, for `pcm` to want more, or for `milliseconds` (−1: for ever).
  mutating func sleep(_ milliseconds: Int, on pcm: OpaquePointer?) {
    guard milliseconds != 0 else { return }
    var count = 1
    if let pcm {
      let ready = snd_pcm_poll_descriptors(pcm, entries + 1, UInt32(Self.limit - 1))
      if ready > 0 { count += Int(ready) }
    }
    // Some plugins say "ready" long before there is room: rest a little instead of spinning.
    if count > 1, idleWakes > 3 {
      _ = poll(entries, 1, 5)
      idleWakes = 0
      return
    }
    let woken = poll(entries, nfds_t(count), Int32(clamping: milliseconds))
    guard woken > 0, count > 1, let pcm else { return }
    var events: UInt16 = 0
    _ = snd_pcm_poll_descriptors_revents(pcm, entries + 1, UInt32(count - 1), &events)
    idleWakes += 1
  }

  /// Tells that the last wake was worth it: something was written.
  mutating func wasUseful() { idleWakes = 0 }
}
