import Platform
import PluginKit
import Synchronization

/// The state that the controlling side and the audio thread share, without locks.
///
/// Each value has one writer, which wakes the other side after writing.
struct EngineShared: ~Copyable {
  /// The most inputs.
  static let inputLimit = 16

  // Written by the controlling side.
  /// Set once, to end the thread.
  let stopping = Atomic<Bool>(false)
  /// The newest `PowerRequest`, with its number.
  let powerAsked = Atomic<Int>(0)
  /// The selected input; −1 for none.
  let selected = Atomic<Int>(-1)
  /// Whether all the source's channels play, or the front pair.
  let surround = Atomic<Bool>(false)
  /// The wanted gain (0…1), as the bits of a float.
  let gain = Atomic<UInt32>(0)
  /// Whether levels are measured.
  let metering = Atomic<Bool>(false)
  /// The addresses of the inputs' `InputSlot`s; 0 for none.
  let inputs: UnsafeMutablePointer<Atomic<UInt>>

  // Written by the audio thread.
  /// The newest value of `powerAsked` that has been carried out.
  let powerDone = Atomic<Int>(0)
  /// The raw value of an `OutputState`.
  let outputState = Atomic<Int>(OutputState.closed.rawValue)
  /// Step and code of the `ALSAFailure` for which the device is not in use.
  let failureStep = Atomic<Int32>(0)
  let failureCode = Atomic<Int32>(0)
  /// The format in use.
  let deviceSample = Atomic<Int32>(0)
  let deviceRate = Atomic<Int>(0)
  let deviceChannels = Atomic<Int>(0)
  let deviceBuffer = Atomic<Int>(0)
  /// Whether sound plays.
  let sounding = Atomic<Bool>(false)
  /// The input that is heard; −1 for none.
  let listening = Atomic<Int>(-1)
  /// The number of rounds of the loop; a slot that was replaced two rounds ago is not in use any more.
  let rounds = Atomic<Int>(0)
  /// Gaps in the sound.
  let underruns = Atomic<Int>(0)
  /// Gaps because the source was late.
  let starvations = Atomic<Int>(0)
  /// The number of times that a lost device was reopened.
  let reopenings = Atomic<Int>(0)
  /// Whether the monotonic clock sets the pace instead of the device.
  let clockPaced = Atomic<Bool>(false)
  /// Whether the thread runs with real-time priority.
  let realtime = Atomic<Bool>(false)
  /// The number of readings of the levels.
  let levelReadings = Atomic<Int>(0)
  /// Peak and RMS of each channel, as the bits of floats: eight and eight.
  let levels: UnsafeMutablePointer<Atomic<UInt32>>

  /// Wakes the audio thread.
  let audioWakeup: WakeupDescriptor
  /// Wakes the controlling side.
  let controlWakeup: WakeupDescriptor

  /// Creates the state of an engine that is off.
  init(audioWakeup: WakeupDescriptor, controlWakeup: WakeupDescriptor) {
    self.audioWakeup = audioWakeup
    self.controlWakeup = controlWakeup
    inputs = .allocate(capacity: Self.inputLimit)
    for index in 0..<Self.inputLimit { (inputs + index).initialize(to: Atomic(0)) }
    levels = .allocate(capacity: 16)
    for index in 0..<16 { (levels + index).initialize(to: Atomic(0)) }
  }

  deinit {
    inputs.deinitialize(count: Self.inputLimit)
    inputs.deallocate()
    levels.deinitialize(count: 16)
    levels.deallocate()
    audioWakeup.close()
    controlWakeup.close()
  }

  /// Returns the input with this index; `nil` for none.
  func input(_ index: Int) -> UnsafeMutablePointer<InputSlot>? {
    guard index >= 0, index < Self.inputLimit else { return nil }
    return UnsafeMutablePointer(bitPattern: inputs[index].load(ordering: .acquiring))
  }
}

/// A request for the output.
enum PowerRequest: Int {
  case off
  case on
  /// On; a PCM that another program still has is tried again and again.
  case reacquire

  /// Returns the request as one number, which rises with `number`.
  func word(number: Int) -> Int { number * 4 + rawValue }

  /// Reads the request of a word.
  init(word: Int) { self = Self(rawValue: word & 3) ?? .off }
}

/// One input as the audio thread reads it; a new cable gets a new slot.
struct InputSlot {
  /// The cable's sound.
  let tap: CableTap
  /// A descriptor that is readable after frames or events came to an empty tap, or when it must be silent at
  /// once.
  let event: Int32
  /// The cable's present format; used by the audio thread alone.
  var format: StreamFormat?
}
