import Devices

/// What is known of the two ends of a cable.
struct CableEnds: Sendable {
  var source: DeviceSnapshot?
  var sink: DeviceSnapshot?

  /// How the ends are to be joined at this moment.
  struct Joint: Sendable, Equatable {
    enum Way: Sendable, Equatable {
      /// The amplifier is away.
      case none
      /// Samples over a socket.
      case pcm
      /// Joined already, by a wire.
      case wired
      /// A PCM that the amplifier lends, for the source alone while its input is selected.
      case alsa(isSelected: Bool)
      /// They have no kind of cable in common.
      case impossible(DeviceError)
    }
    var way: Way
    /// Of the source and of the sink: what was joined before either rose is not joined any more.
    var generations: [Int]
  }

  /// How to join the ends of a cable at `input`; `nil` while the source is away.
  func joint(at input: String) -> Joint? {
    guard let source, source.availability == .available else { return nil }
    guard let sink, sink.availability == .available else {
      return Joint(way: .none, generations: [source.generation])
    }
    let kinds = (source.capabilities.cables, sink.capabilities.cables)
    let way: Joint.Way =
      switch CableKind.joining(kinds.0, kinds.1) {
      case .pcm: .pcm
      case .wired: .wired
      case .alsa: .alsa(isSelected: sink.state.reports(input: input))
      case nil: .impossible(.noCommonCable(from: kinds.0, to: kinds.1))
      }
    return Joint(way: way, generations: [source.generation, sink.generation])
  }
}

extension DeviceState {
  /// Whether the amplifier itself says that it is on and hears `input`. What is only assumed is not
  /// enough: the PCM may still be in its hands.
  fileprivate func reports(input: String) -> Bool {
    readings[.power]?.provenance == .reported && power == .on
      && readings[.input]?.provenance == .reported && self.input == input
  }
}

extension DeviceError {
  /// What the two plugins said of their ends when they opened them.
  fileprivate static func noCommonCable(from: [CableKind], to: [CableKind]) -> DeviceError {
    func words(_ kinds: [CableKind]) -> String {
      kinds.isEmpty ? "none" : kinds.map(\.rawValue).joined(separator: ", ")
    }
    return DeviceError(
      .unsupported,
      "no cable fits both ends: the player has \(words(from)), the amplifier \(words(to))",
      hint: "Use plugins that both have pcm.")
  }
}
