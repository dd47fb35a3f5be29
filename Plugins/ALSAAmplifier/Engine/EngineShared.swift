import Platform
import PluginKit
import Synchronization

/// What the controlling side and the audio thread tell each other, without locks.
///
/// Each value has one writer. After writing, the writer rings the other side's bell.
struct EngineShared: ~Copyable {
  /// How many inputs there can be.
  static let inputLimit = 16

  // Written by the controlling side.
  /// Set once: the thread ends.
  let stopping = Atomic<Bool>(false)
  /// The newest `PowerRequest`, with its number.
  let powerAsked = Atomic<Int>(0)
  /// The input to listen to; −1 for none.
  let selected = Atomic<Int>(-1)
  /// All the source's channels rather than the front pair.
  let surround = Atomic<Bool>(false)
  /// The gain to go to, as the bits of a float.
  let gain = Atomic<UInt32>(0)
  /// Whether levels are wanted.
  let metering = Atomic<Bool>(false)
  /// The addresses of the inputs' `InputSlot`s; 0 where there is none.
  let inputs: UnsafeMutablePointer<Atomic<UInt>>

  // Written by the audio thread.
  /// The newest value of `powerAsked` that has been carried out.
  let powerDone = Atomic<Int>(0)
  /// What the output is doing: an `OutputState`.
  let outputState = Atomic<Int>(OutputState.closed.rawValue)
  /// Why the device is not in use: an `ALSAFailure`, step and code.
  let failureStep = Atomic<Int32>(0)
  let failureCode = Atomic<Int32>(0)
  /// The format in use.
  let deviceSample = Atomic<Int32>(0)
  let deviceRate = Atomic<Int>(0)
  let deviceChannels = Atomic<Int>(0)
  let deviceBuffer = Atomic<Int>(0)
  /// Whether frames are running through.
  let sounding = Atomic<Bool>(false)
  /// The input that is being heard; −1 for none.
  let listening = Atomic<Int>(-1)
  /// How often the loop went round; a slot that was replaced two rounds ago is not in use any more.
  let rounds = Atomic<Int>(0)
  /// How often the device ran dry, and how often it was the source that did not deliver.
  let underruns = Atomic<Int>(0)
  let starvations = Atomic<Int>(0)
  /// How often the device was reopened after it was lost.
  let reopenings = Atomic<Int>(0)
  /// Whether the clock rather than the device sets the pace.
  let clockPaced = Atomic<Bool>(false)
  /// Whether the thread runs with real-time priority.
  let realtime = Atomic<Bool>(false)
  /// Peak and RMS of each channel, as the bits of floats: eight and eight.
  let levels: UnsafeMutablePointer<Atomic<UInt32>>

  /// Wakes the audio thread.
  let audioBell: WakeupDescriptor
  /// Wakes the controlling side.
  let controlBell: WakeupDescriptor

  /// Shared state with nothing on.
  init(audioBell: WakeupDescriptor, controlBell: WakeupDescriptor) {
    self.audioBell = audioBell
    self.controlBell = controlBell
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
    audioBell.close()
    controlBell.close()
  }

  /// The input in a place; `nil` when there is none.
  func input(_ index: Int) -> UnsafeMutablePointer<InputSlot>? {
    guard index >= 0, index < Self.inputLimit else { return nil }
    return UnsafeMutablePointer(bitPattern: inputs[index].load(ordering: .acquiring))
  }
}

/// What the output is to do.
enum PowerRequest: Int {
  case off
  case on
  /// On, and patient with who has the PCM at present.
  case takeBack

  /// The request as one number, which rises with `number`.
  func word(number: Int) -> Int { number * 4 + rawValue }

  /// The request in a word.
  init(word: Int) { self = Self(rawValue: word & 3) ?? .off }
}

/// One input as the audio thread reads it; a new cable gets a new slot.
struct InputSlot {
  /// The cable's sound.
  let tap: CableTap
  /// Readable when something came after the tap was empty, or when it must be silent at once.
  let event: Int32
  /// What the cable sends at present; the audio thread's own.
  var format: StreamFormat?
}

/// What the output is doing.
enum OutputState: Int, Sendable {
  /// The amplifier is off; the PCM belongs to others.
  case closed
  /// The PCM is open.
  case open
  /// No PCM; sound passes unheard at the pace of the clock, and the PCM is tried again.
  case silent
  /// The amplifier was refused its PCM and stays off.
  case refused
}
