import Platform
import Synchronization
import TestSupport
import Testing

@testable import ALSAAmplifier
@testable import PluginKit

/// One cable's ring, filled by hand.
final class ModelInput {
  let ring: UnsafeMutablePointer<CableRing>
  let slot: UnsafeMutablePointer<InputSlot>
  let format: CableFormat
  private let own: UnsafeMutablePointer<CableConsumer>
  private var generation: UInt64 = 1 << 32

  init(_ format: CableFormat) throws {
    self.format = format
    let (io, audio) = (try WakeupDescriptor(), try WakeupDescriptor())
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: CableRing(
        capacity: format.rate * format.frameBytes * 2 / 5, signalNanoseconds: 300_000_000,
        ioEvent: io, audioEvent: audio))
    own = .allocate(capacity: 1)
    own.initialize(to: CableConsumer())
    slot = .allocate(capacity: 1)
    slot.initialize(
      to: InputSlot(tap: CableTap(ring: ring, own: own), event: audio.descriptor))
    append(.format)
  }

  deinit {
    ring.pointee.ioEvent.close()
    ring.pointee.audioEvent.close()
    ring.deinitialize(count: 1)
    ring.deallocate()
    own.deallocate()
    slot.deallocate()
  }

  /// Frames that the ring still takes.
  var writableFrames: Int { (ring.pointee.capacity - ring.pointee.occupied) / format.frameBytes }

  /// Whether the end was heard.
  var isDrained: Bool {
    ring.pointee.drainedGeneration.load(ordering: .acquiring) == generation
  }

  func append(_ kind: CableMarker.Kind) {
    _ = ring.pointee.append(
      kind, generation: generation, format: format, skips: kind == .flush || kind == .silence)
  }

  /// Sends whole frames; there must be room for them.
  func send(_ bytes: some Collection<UInt8>) {
    let isTaken = Array(bytes).withUnsafeBytes { ring.pointee.append($0) }
    #expect(isTaken)
  }

  /// Begins the next generation with a flush.
  func flush() {
    generation += 1
    append(.flush)
  }

  /// Frames of the generation before the last flush that were heard; it must have been answered.
  var flushed: Int {
    Int(ring.pointee.flushedFrames.load(ordering: .relaxed))
  }
}

/// The audio loop on a model card, on a clock that a test advances.
final class ModelRig {
  let shared: UnsafeMutablePointer<EngineShared>
  let card: ModelCard
  private var loop: AudioLoop<ModelOutput>
  private var inputs: [ModelInput?] = [nil, nil]
  private var numbers: SeededNumbers
  private var asked = 1

  /// An amplifier that is on, at full volume.
  init(
    seed: Int, buffer: Int = 200, givesBack: Bool = true, surround: Bool = false
  ) throws {
    numbers = SeededNumbers(seed)
    let wakeups = (try WakeupDescriptor(), try WakeupDescriptor())
    shared = .allocate(capacity: 1)
    shared.initialize(to: EngineShared(audioWakeup: wakeups.0, controlWakeup: wakeups.1))
    shared.pointee.gain.store(Float(1).bitPattern, ordering: .relaxed)
    shared.pointee.surround.store(surround, ordering: .relaxed)
    shared.pointee.powerAsked.store(PowerRequest.on.word(number: 1), ordering: .relaxed)
    // Never read: the model card opens under any name.
    let name = UnsafePointer<CChar>(bitPattern: 8)
    let setting = AudioSetting(
      device: try #require(name), bufferMilliseconds: buffer, silentWhenMissing: false,
      rewind: .auto)
    loop = AudioLoop(shared: shared, setting: setting)
    _ = loop.runOnce()
    card = loop.player.device.output.card
    card.givesBack = givesBack
  }

  /// Frees the loop's memory; the rig must not be used any more.
  func end() {
    for index in inputs.indices { shared.pointee.inputs[index].store(0, ordering: .relaxed) }
    shared.deinitialize(count: 1)
    shared.deallocate()
  }

  /// Plugs a cable in.
  func plug(_ input: ModelInput, at index: Int = 0) {
    inputs[index] = input
    shared.pointee.inputs[index].store(UInt(bitPattern: input.slot), ordering: .relaxed)
  }

  func select(_ index: Int) { shared.pointee.selected.store(index, ordering: .relaxed) }

  func setGain(_ gain: Float) {
    shared.pointee.gain.store(gain.bitPattern, ordering: .relaxed)
  }

  func turnOff() {
    asked += 1
    shared.pointee.powerAsked.store(
      PowerRequest.off.word(number: asked), ordering: .relaxed)
  }

  var isOff: Bool {
    shared.pointee.powerDone.load(ordering: .relaxed) == PowerRequest.off.word(number: asked)
  }

  /// Counted gaps in the sound, of the device and of the source.
  var gaps: Int {
    shared.pointee.underruns.load(ordering: .relaxed)
      + shared.pointee.starvations.load(ordering: .relaxed)
  }

  /// A number of the range, from the seed.
  func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  /// Lets the loop work for some time, in ms; it wakes up to 2 ms later than it wants to.
  func run(milliseconds: Double) {
    let end = card.now + Int64(milliseconds * 1_000_000)
    while true {
      let wait = loop.runOnce()
      guard card.now < end else { return }
      var next = end
      if wait >= 0 { next = min(next, card.now + Int64(wait) * 1_000_000) }
      if loop.player.device.awaitsWritableFrames, let writable = card.writableTime {
        next = min(next, writable)
      }
      if next > card.now { next += Int64(random(0...2000)) * 1000 }
      card.advance(to: max(card.now + 20_000, min(next, end)))
    }
  }
}
