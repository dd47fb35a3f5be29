import Platform
import Synchronization

/// The result of one read by an audio thread.
public enum CableRead: Sendable, Equatable {
  /// The number of whole frames that were written to the start of the buffer.
  case frames(Int)
  /// Nothing is there; `CableSink.audioEvent` becomes readable when something comes.
  case empty
  /// The next frames have this format. Play the frames that were read before, then change the format.
  case format(CableFormat)
  /// Pause, seek, stop or another source: drop the frames in the device, then call
  /// `CableTap.confirmFlush`. Frames after it are new.
  case flush
  /// The source has ended: play out, then call `CableTap.confirmDrained`.
  case end
}

/// The audio thread's interface to a sink: reads sound without allocation, locks or reference
/// counting. Valid for the life of its `CableSink`. One thread at a time may use it.
///
/// Safe to send: the ring's consumer side is used by one thread at a time (the contract above), and
/// everything shared with the producer is atomic.
public struct CableTap: @unchecked Sendable {
  let ring: UnsafeMutablePointer<CableRing>
  let own: UnsafeMutablePointer<CableConsumer>

  /// Reads up to `buffer.count` bytes of whole frames of one format, or an event. Call again until
  /// it returns `.empty` or the buffer is full.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> CableRead {
    if own.pointee.needsSignal { signal() }
    while true {
      if let event = nextEvent() { return event }
      if own.pointee.hasFormat, buffer.count < own.pointee.format.frameBytes { return .empty }
      let count = copy(into: buffer)
      if count > 0 { return .frames(count) }
      if requestWakeup() { return .empty }
    }
  }

  /// The format of the frames that were read last, or of the next ones if `read` has announced a
  /// new one; `nil` before the first. It changes only with a `read`.
  public var format: CableFormat? { own.pointee.hasFormat ? own.pointee.format : nil }

  /// Requests `CableSink.audioEvent` for the next arrival, as an empty `read` does; false if
  /// something is already there.
  public func wakeWhenReadable() -> Bool { requestWakeup() }

  /// Frames that a `read` would give before the next event.
  public var available: Int {
    guard own.pointee.hasFormat else { return 0 }
    return readableBytes / own.pointee.format.frameBytes
  }

  /// Whether the frames of the last `read` begin with the first frame of a recording: after silence
  /// they need no fade.
  public var startedRecording: Bool { own.pointee.startedRecording }

  /// Whether an event follows the available frames, so that no further frames come before it.
  public var holdsEvent: Bool {
    ring.pointee.markerHead.load(ordering: .relaxed)
      < ring.pointee.markerTail.load(ordering: .acquiring)
  }

  /// Reports how many of the frames read so far are now inside the device. Call it after each write
  /// to the device; the source's position depends on it. Costs a system call only when the ring is
  /// two thirds free.
  public func report(delay: Int) {
    let sequence = ring.pointee.reportSequence.load(ordering: .relaxed)
    ring.pointee.reportSequence.store(sequence &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    ring.pointee.reportGeneration.store(own.pointee.generation, ordering: .relaxed)
    ring.pointee.reportFrames.store(own.pointee.consumed, ordering: .relaxed)
    ring.pointee.reportDelay.store(UInt64(max(0, delay)), ordering: .relaxed)
    ring.pointee.reportTime.store(
      UInt64(max(0, MonotonicClock.now)), ordering: .relaxed)
    ring.pointee.reportSequence.store(sequence &+ 2, ordering: .releasing)
    if own.pointee.needsSignal { signal() }
  }

  /// Answers `.flush`: `unheard` frames that were read before it were dropped from the device and
  /// never heard.
  public func confirmFlush(unheard: Int) {
    let frames = own.pointee.skippedFrames
    let unheard = UInt64(max(0, unheard))
    ring.pointee.flushedGeneration.store(own.pointee.skippedGeneration, ordering: .relaxed)
    ring.pointee.flushedFrames.store(frames > unheard ? frames - unheard : 0, ordering: .relaxed)
    ring.pointee.confirmedSkip.store(own.pointee.skipped, ordering: .releasing)
    signal()
  }

  /// Answers `.end`: the device has played everything.
  public func confirmDrained() {
    ring.pointee.drainedGeneration.store(own.pointee.ended, ordering: .releasing)
    signal()
  }

  private func signal() {
    own.pointee.needsSignal = false
    own.pointee.sinceSignal = 0
    ring.pointee.ioEvent.signal()
  }

  /// Requests a wake-up by the producer; false if something has arrived meanwhile.
  private func requestWakeup() -> Bool {
    ring.pointee.waiting.store(true, ordering: .sequentiallyConsistent)
    let head = ring.pointee.head.load(ordering: .relaxed)
    let index = ring.pointee.markerHead.load(ordering: .relaxed)
    let tail = ring.pointee.tail.load(ordering: .sequentiallyConsistent)
    let markers = ring.pointee.markerTail.load(ordering: .sequentiallyConsistent)
    return index == markers && tail == head
  }

  private func nextEvent() -> CableRead? {
    let index = ring.pointee.markerHead.load(ordering: .relaxed)
    let skip = ring.pointee.skip.load(ordering: .acquiring)
    if index < skip {
      skipMarkers(from: index, to: skip)
      return .flush
    }
    if own.pointee.announceFormat {
      own.pointee.announceFormat = false
      return .format(own.pointee.format)
    }
    // The tail before the markers: a marker lies before every byte that follows it.
    guard index < ring.pointee.markerTail.load(ordering: .acquiring) else { return nil }
    let marker = ring.pointee.markers[index % CableRing.markerCount]
    guard marker.position == ring.pointee.head.load(ordering: .relaxed) else { return nil }
    adopt(marker)
    ring.pointee.markerHead.store(index + 1, ordering: .releasing)
    if marker.kind == .start { own.pointee.nextStartsRecording = true }
    if marker.kind == .end {
      own.pointee.ended = marker.generation
      return .end
    }
    guard own.pointee.announceFormat else { return nextEvent() }
    own.pointee.announceFormat = false
    return .format(marker.format)
  }

  private func skipMarkers(from index: Int, to skip: Int) {
    own.pointee.skippedGeneration = own.pointee.generation
    own.pointee.skippedFrames = own.pointee.consumed
    own.pointee.nextStartsRecording = false
    var index = index
    while index < skip {
      let marker = ring.pointee.markers[index % CableRing.markerCount]
      adopt(marker)
      ring.pointee.head.store(marker.position, ordering: .releasing)
      index += 1
      ring.pointee.markerHead.store(index, ordering: .releasing)
    }
    own.pointee.skipped = skip
  }

  /// Adopts the marker's format and generation.
  private func adopt(_ marker: CableMarker) {
    if marker.kind != .silence {
      own.pointee.announceFormat =
        !own.pointee.hasFormat || own.pointee.announceFormat
        || own.pointee.format != marker.format
      own.pointee.format = marker.format
      own.pointee.hasFormat = true
      own.pointee.signalThreshold = max(
        1, marker.format.frames(inNanoseconds: ring.pointee.signalNanoseconds))
    }
    if marker.generation != own.pointee.generation {
      own.pointee.generation = marker.generation
      own.pointee.consumed = 0
    }
  }

  /// Bytes before the next marker.
  private var readableBytes: Int {
    let tail = ring.pointee.tail.load(ordering: .acquiring)
    let head = ring.pointee.head.load(ordering: .relaxed)
    let index = ring.pointee.markerHead.load(ordering: .relaxed)
    var limit = tail
    if index < ring.pointee.markerTail.load(ordering: .acquiring) {
      limit = min(limit, ring.pointee.markers[index % CableRing.markerCount].position)
    }
    return Int(limit - head)
  }

  private func copy(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let target = buffer.baseAddress, own.pointee.hasFormat else { return 0 }
    let readable = readableBytes
    let frame = own.pointee.format.frameBytes
    let frames = min(buffer.count, readable) / frame
    guard frames > 0 else { return 0 }
    let bytes = frames * frame
    let head = ring.pointee.head.load(ordering: .relaxed)
    let capacity = ring.pointee.capacity
    let offset = Int(head % UInt64(capacity))
    let first = min(bytes, capacity - offset)
    target.copyMemory(from: ring.pointee.storage + offset, byteCount: first)
    (target + first).copyMemory(from: ring.pointee.storage, byteCount: bytes - first)
    ring.pointee.head.store(head + UInt64(bytes), ordering: .releasing)
    own.pointee.startedRecording = own.pointee.nextStartsRecording
    own.pointee.nextStartsRecording = false
    own.pointee.consumed += UInt64(frames)
    own.pointee.sinceSignal += frames
    if own.pointee.sinceSignal >= own.pointee.signalThreshold || bytes == readable {
      own.pointee.needsSignal = true
    }
    return frames
  }
}
