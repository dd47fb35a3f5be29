import Synchronization

/// A format of a stream of frames.
struct StreamFormat: Sendable, Equatable {
  /// How one sample lies in memory.
  var sample: SampleFormat
  /// Frames a second.
  var rate: Int
  /// Channels, 1–8, in `SpeakerLayout.stream` order.
  var channels: Int

  /// Bytes a frame takes.
  var frameBytes: Int { sample.bytes * channels }

  /// What people read, e.g. `44100 Hz S16_LE, 2 channels`.
  var description: String { "\(rate) Hz \(sample.name), \(channels) channels" }
}

/// Something that happens at one place in a stream of bytes.
struct Marker {
  /// What happens.
  enum Event {
    /// From here on frames have this format.
    case format(StreamFormat)
    /// The source has no more to say; `drained` is owed when this has been heard.
    case end
  }

  /// The byte of the ring before which it happens.
  var position: Int
  /// How many flushes had been asked for when it was written: one more makes it void.
  var flushes: Int
  /// What happens there.
  var event: Event
}

/// Markers from the thread that writes a ring to the one that reads it.
struct MarkerQueue: ~Copyable {
  private static let capacity = 64
  private let slots = UnsafeMutablePointer<Marker>.allocate(capacity: capacity)
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  deinit { slots.deallocate() }

  /// Writer: appends one; `false` when sixty-four wait already.
  func push(_ marker: Marker) -> Bool {
    let at = written.load(ordering: .relaxed)
    guard at - taken.load(ordering: .acquiring) < Self.capacity else { return false }
    (slots + at % Self.capacity).initialize(to: marker)
    written.store(at + 1, ordering: .releasing)
    return true
  }

  /// Reader: the oldest, left in place.
  func peek() -> Marker? {
    let at = taken.load(ordering: .relaxed)
    guard at < written.load(ordering: .acquiring) else { return nil }
    return slots[at % Self.capacity]
  }

  /// Reader: removes the oldest.
  func pop() {
    taken.store(taken.load(ordering: .relaxed) + 1, ordering: .releasing)
  }
}
