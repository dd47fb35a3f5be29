import Synchronization

/// What one cable's thread and the audio thread share: the ring, its markers, and what was heard.
///
/// Lives at a fixed address from the moment the input exists until the audio thread has ended, so
/// both sides reach it through a plain pointer and nobody counts references.
struct InputChannel: ~Copyable {
  /// Room for 100 ms of eight channels of 32 bits at 192 kHz, and then some.
  static let ringBytes = 1 << 20

  /// Frames on their way to the speaker.
  let ring = ByteRing(capacity: ringBytes)
  /// Changes of format and ends, in order.
  let markers = MarkerQueue()

  /// How many flushes the cable has asked for.
  let flushesAsked = Atomic<Int>(0)
  /// How many of them the audio thread has done.
  let flushesDone = Atomic<Int>(0)
  /// Everything before this byte belongs to before the newest flush.
  let flushPosition = Atomic<Int>(0)

  /// True while this input is the one being listened to and frames are welcome.
  let listening = Atomic<Bool>(false)
  /// Frames sent towards the speaker since the start, less those that a flush has called back.
  let framesTaken = Atomic<Int>(0)
  /// Frames taken but not yet heard at the last look, in the stream's rate.
  let delay = Atomic<Int>(0)
  /// How many ends have been heard out.
  let drains = Atomic<Int>(0)
  /// Rung by the audio thread when one of the numbers above has changed.
  let cableBell: Bell

  /// The format at the place where the audio thread reads; nobody else looks at it.
  var format: StreamFormat?

  /// A channel that rings `bell` for its cable.
  init(bell: Bell) { cableBell = bell }

  /// Cable: marks that something happens after all that was written so far; `false` when too much
  /// waits already.
  func mark(_ event: Marker.Event) -> Bool {
    markers.push(
      Marker(
        position: ring.writePosition, flushes: flushesAsked.load(ordering: .relaxed), event: event))
  }

  /// Audio thread: throws away all that was written before `position`, and the markers that
  /// `flushes` flushes have voided; formats stay known.
  mutating func discard(to position: Int, flushes: Int) {
    ring.skip(to: position)
    while let marker = markers.peek(), marker.flushes < flushes {
      if case .format(let new) = marker.event { format = new }
      markers.pop()
    }
  }

  /// Audio thread: throws away everything.
  mutating func discardAll() {
    // Markers first: one that is written after this look belongs to bytes after it, too.
    let position = ring.writePosition
    discard(to: position, flushes: Int.max)
  }

  /// Cable: asks that everything written so far be thrown away, heard or not.
  func flush() {
    flushPosition.store(ring.writePosition, ordering: .relaxed)
    flushesAsked.add(1, ordering: .releasing)
  }
}
