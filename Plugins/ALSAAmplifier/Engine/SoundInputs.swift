import PluginKit
import Synchronization

/// The cables of the engine, kept alive while the audio thread may read them.
final class SoundInputs: Sendable {
  /// The pointer that both threads use.
  ///
  /// Safe: everything behind it is atomic or has one owner by design (see `EngineShared`), and it
  /// is freed after both threads have ended.
  struct SharedState: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<EngineShared>
  }

  // Safe: the slot is made and freed here, and read by the audio thread alone.
  private struct Input: @unchecked Sendable {
    let sink: CableSink
    let slot: UnsafeMutablePointer<InputSlot>
  }

  private struct State {
    var inputs: [Int: Input] = [:]
    var retired: [(input: Input, round: Int)] = []
  }

  private let shared: SharedState
  private let state = Mutex(State())

  /// Creates an engine's inputs, without cables.
  init(_ shared: SharedState) { self.shared = shared }

  deinit {
    state.withLock { state in
      for input in state.inputs.values { input.slot.deallocate() }
      for old in state.retired { old.input.slot.deallocate() }
    }
  }

  /// Connects a cable to an input (0–15), and closes the earlier one.
  func set(_ index: Int, to sink: CableSink) {
    guard index >= 0, index < EngineShared.inputLimit else { return }
    let slot = UnsafeMutablePointer<InputSlot>.allocate(capacity: 1)
    slot.initialize(to: InputSlot(tap: sink.tap, event: sink.audioEvent))
    state.withLock { state in
      let old = state.inputs.updateValue(Input(sink: sink, slot: slot), forKey: index)
      let address = UInt(bitPattern: slot)
      shared.pointer.pointee.inputs[index].store(address, ordering: .sequentiallyConsistent)
      guard let old else { return }
      old.sink.close()
      let round = shared.pointer.pointee.rounds.load(ordering: .sequentiallyConsistent)
      state.retired.append((old, round))
    }
  }

  /// Tells each cable whether it is heard, and frees slots that are not in use any more.
  func update() {
    let listening = shared.pointer.pointee.listening.load(ordering: .acquiring)
    let round = shared.pointer.pointee.rounds.load(ordering: .acquiring)
    state.withLock { state in
      for (index, input) in state.inputs { input.sink.setHeard(index == listening) }
      // Two rounds: the one that was under way, and one that has seen the new slot.
      for old in state.retired where round >= old.round + 2 { old.input.slot.deallocate() }
      state.retired.removeAll { round >= $0.round + 2 }
    }
  }

  /// Closes every cable.
  func close() {
    state.withLock { state in for input in state.inputs.values { input.sink.close() } }
  }
}
