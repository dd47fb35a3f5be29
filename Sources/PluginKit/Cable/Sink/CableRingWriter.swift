import Synchronization

/// The writes of one connection into the ring: the markers before its sound, and how long the sound in
/// the ring lasts. Used on the I/O thread alone.
struct CableRingWriter {
  private let ring: UnsafeMutablePointer<CableRing>
  /// The generation of this connection's last marker in the ring; 0 before the first.
  private var generation: UInt64 = 0
  private var spans: CableSpans
  /// Whether the ring's sound must be dropped as soon as the queue of markers has room.
  private(set) var owesSilence = false

  init(_ ring: UnsafeMutablePointer<CableRing>) {
    self.ring = ring
    spans = CableSpans(from: ring.pointee.tail.load(ordering: .relaxed))
  }

  /// Puts a generation and its format into the ring before their sound.
  mutating func announce(_ format: CableFormat, generation: UInt64) {
    guard self.generation != generation else { return }
    _ = ring.pointee.append(.format, generation: generation, format: format)
    self.generation = generation
    spans.begin(format, at: tail)
  }

  /// Writes whole frames; false if the ring has no room for them.
  mutating func write(
    _ frames: UnsafeRawBufferPointer, _ format: CableFormat, generation: UInt64,
    startsRecording: Bool
  ) -> Bool {
    announce(format, generation: generation)
    if startsRecording {
      _ = ring.pointee.append(.start, generation: generation, format: format)
    }
    return ring.pointee.append(frames)
  }

  mutating func end(_ format: CableFormat, generation: UInt64) {
    announce(format, generation: generation)
    _ = ring.pointee.append(.end, generation: generation, format: format)
  }

  /// Drops the ring's sound and begins a generation.
  ///
  /// - Returns: The value of `confirmedSkip` with which the audio thread confirms it; `nil` when the
  ///   queue of markers is full.
  mutating func flush(_ format: CableFormat, generation: UInt64) -> Int? {
    let index = ring.pointee.append(
      .flush, generation: generation, format: format, skips: true)
    self.generation = generation
    spans.restart(format, at: tail)
    return index
  }

  /// Drops the ring's sound and begins no generation.
  mutating func dropSound(_ format: CableFormat?) {
    if generation == 0, ring.pointee.isSkipped {
      // Without this, connections to an input that is not heard would fill the queue of markers.
      owesSilence = false
    } else {
      let index = ring.pointee.append(
        .silence, generation: generation, format: format ?? .compactDisc, skips: true)
      owesSilence = index == nil
    }
    spans.skip(to: tail)
  }

  /// Frames of `format` that the ring still takes so that it holds at most `whole` of them in time.
  mutating func freeFrames(of format: CableFormat, atMost whole: Int) -> Int {
    let head = ring.pointee.head.load(ordering: .acquiring)
    let waiting = spans.nanoseconds(from: head, to: tail)
    let room = (ring.pointee.capacity - Int(tail - head)) / format.frameBytes
    return max(0, min(whole - format.frames(inNanoseconds: waiting), room))
  }

  private var tail: UInt64 { ring.pointee.tail.load(ordering: .relaxed) }
}

/// The formats of the sound in a ring, each with its first position, from which follows how long the
/// sound lasts. Positions are in bytes.
struct CableSpans {
  private var spans: [(start: UInt64, format: CableFormat)] = []
  /// Sound before this position is skipped.
  private var skipped: UInt64

  init(from position: UInt64) { skipped = position }

  mutating func begin(_ format: CableFormat, at position: UInt64) {
    if spans.last?.format != format { spans.append((position, format)) }
  }

  /// Skips all sound, and begins a format.
  mutating func restart(_ format: CableFormat, at position: UInt64) {
    skip(to: position)
    spans = [(position, format)]
  }

  mutating func skip(to position: UInt64) { skipped = position }

  /// Returns how long the sound between two positions lasts, and forgets formats that lie before.
  mutating func nanoseconds(from head: UInt64, to tail: UInt64) -> Int64 {
    while spans.count > 1, spans[1].start <= head { spans.removeFirst() }
    let from = max(head, skipped)
    var sum: Int64 = 0
    for (index, span) in spans.enumerated() {
      let end = index + 1 < spans.count ? spans[index + 1].start : tail
      let start = max(span.start, from)
      guard end > start else { continue }
      sum += span.format.nanoseconds(ofFrames: Int(end - start) / span.format.frameBytes)
    }
    return sum
  }
}
