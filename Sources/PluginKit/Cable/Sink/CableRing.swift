import Platform
import Synchronization

/// An event at a position of the ring.
struct CableMarker {
  enum Kind { case format, start, flush, silence, end }
  var kind: Kind
  /// The position in the stream, in bytes.
  var position: UInt64
  /// Connection serial in the upper, epoch in the lower 32 bits.
  var generation: UInt64
  var format: CableFormat
}

/// The memory that a sink's I/O thread (producer) and its audio thread (consumer) share: a ring of
/// bytes and a queue of markers, single producer, single consumer, without locks. Positions are
/// counts of bytes since the start and never wrap (2⁶⁴ bytes are 100 000 years of sound).
struct CableRing: ~Copyable {
  static let markerCount = 64

  let storage: UnsafeMutableRawPointer
  let capacity: Int
  let markers: UnsafeMutablePointer<CableMarker>
  /// Wakes the I/O thread: room, a report or a confirmation.
  let ioEvent: WakeupDescriptor
  /// Wakes the audio thread after an empty read: sound or a marker has arrived.
  let audioEvent: WakeupDescriptor

  // Written by the producer.
  let tail = Atomic<UInt64>(0)
  let markerTail = Atomic<Int>(0)
  /// Markers before this index, and the sound before them, are to be skipped at once.
  let skip = Atomic<Int>(0)

  // Written by the consumer.
  let head = Atomic<UInt64>(0)
  let markerHead = Atomic<Int>(0)
  /// Set when the consumer found nothing, cleared by the producer's next write.
  let waiting = Atomic<Bool>(true)
  let confirmedSkip = Atomic<Int>(0)
  let flushedGeneration = Atomic<UInt64>(0)
  let flushedFrames = Atomic<UInt64>(0)
  let drainedGeneration = Atomic<UInt64>(0)
  /// Odd while a report is being written.
  let reportSequence = Atomic<UInt64>(0)
  let reportGeneration = Atomic<UInt64>(0)
  let reportFrames = Atomic<UInt64>(0)
  let reportDelay = Atomic<UInt64>(0)
  let reportTime = Atomic<UInt64>(0)

  let signalNanoseconds: Int64

  init(
    capacity: Int, signalNanoseconds: Int64, ioEvent: WakeupDescriptor, audioEvent: WakeupDescriptor
  ) {
    self.capacity = capacity
    self.signalNanoseconds = signalNanoseconds
    self.ioEvent = ioEvent
    self.audioEvent = audioEvent
    storage = .allocate(byteCount: capacity, alignment: 64)
    markers = .allocate(capacity: Self.markerCount)
    markers.initialize(
      repeating: CableMarker(kind: .end, position: 0, generation: 0, format: .compactDisc),
      count: Self.markerCount)
  }

  deinit {
    storage.deallocate()
    markers.deallocate()
  }
}

/// The state of the consumer, in separate memory, because it changes while the producer reads the
/// ring.
struct CableConsumer {
  var format = CableFormat.compactDisc
  var hasFormat = false
  /// The format changed while sound was skipped; the next read returns it.
  var announceFormat = false
  /// Whether the next frame, and whether the first of the last read, is the first of a recording.
  var nextStartsRecording = false
  var startedRecording = false
  var generation: UInt64 = 0
  /// Frames of the generation that were read.
  var consumed: UInt64 = 0
  /// The generation of the last `end`.
  var ended: UInt64 = 0
  var sinceSignal = 0
  var signalThreshold = 1
  /// Whether the next report signals the producer that there is room.
  var needsSignal = false
  /// The last skip: its index, and the position read before it.
  var skipped = 0
  var skippedGeneration: UInt64 = 0
  var skippedFrames: UInt64 = 0
}

/// The consumer's last report about the device.
struct CableReport: Equatable {
  var generation: UInt64
  var frames: UInt64
  var delay: UInt64
  var time: UInt64
}

// The producer's side; called on the sink's I/O thread alone.
extension CableRing {
  /// Bytes in the ring.
  var occupied: Int { Int(tail.load(ordering: .relaxed) - head.load(ordering: .acquiring)) }

  /// Whether two more markers fit, the most that one message makes.
  var takesMarker: Bool {
    markerTail.load(ordering: .relaxed) - markerHead.load(ordering: .acquiring)
      < Self.markerCount - 1
  }

  /// Whether the last skip covers all that was appended, so that another one would drop nothing.
  var isSkipped: Bool {
    let end = tail.load(ordering: .relaxed)
    let index = markerTail.load(ordering: .relaxed)
    guard index > 0 else { return end == 0 }
    return skip.load(ordering: .relaxed) == index
      && markers[(index - 1) % Self.markerCount].position == end
  }

  /// Appends `bytes`, for which there must be room; returns false and does nothing when there is
  /// none.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let source = bytes.baseAddress, bytes.count <= capacity - occupied else {
      return bytes.isEmpty
    }
    let tail = tail.load(ordering: .relaxed)
    let offset = Int(tail % UInt64(capacity))
    let first = min(bytes.count, capacity - offset)
    (storage + offset).copyMemory(from: source, byteCount: first)
    storage.copyMemory(from: source + first, byteCount: bytes.count - first)
    self.tail.store(tail + UInt64(bytes.count), ordering: .sequentiallyConsistent)
    wakeConsumer()
    return true
  }

  /// Puts a marker at the end; with `skips` everything before it is dropped. Returns the index
  /// after it, or `nil` when the queue is full.
  func append(
    _ kind: CableMarker.Kind, generation: UInt64, format: CableFormat, skips: Bool = false
  ) -> Int? {
    let index = markerTail.load(ordering: .relaxed)
    guard index - markerHead.load(ordering: .acquiring) < Self.markerCount else { return nil }
    markers[index % Self.markerCount] = CableMarker(
      kind: kind, position: tail.load(ordering: .relaxed), generation: generation, format: format)
    markerTail.store(index + 1, ordering: .sequentiallyConsistent)
    if skips {
      // A consumer that waits for its device, with sound left in the ring, must be woken too.
      skip.store(index + 1, ordering: .sequentiallyConsistent)
      waiting.store(false, ordering: .sequentiallyConsistent)
      audioEvent.signal()
    } else {
      wakeConsumer()
    }
    return index + 1
  }

  /// The consumer's last report; `nil` when it never reported or is writing one just now.
  var report: CableReport? {
    let before = reportSequence.load(ordering: .acquiring)
    guard before > 0, before % 2 == 0 else { return nil }
    let report = CableReport(
      generation: reportGeneration.load(ordering: .relaxed),
      frames: reportFrames.load(ordering: .relaxed), delay: reportDelay.load(ordering: .relaxed),
      time: reportTime.load(ordering: .relaxed))
    atomicMemoryFence(ordering: .acquiring)
    return reportSequence.load(ordering: .relaxed) == before ? report : nil
  }

  private func wakeConsumer() {
    if waiting.load(ordering: .sequentiallyConsistent),
      waiting.exchange(false, ordering: .sequentiallyConsistent)
    {
      audioEvent.signal()
    }
  }
}
