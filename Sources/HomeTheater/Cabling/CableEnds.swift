import Devices

/// The newest snapshots of the two ends of a cable.
struct CableEnds: Sendable {
  var source: DeviceSnapshot?
  var sink: DeviceSnapshot?

  /// The connection that the ends need at one moment.
  struct Connection: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
      /// None: the amplifier is not available.
      case none
      /// Samples over a socket.
      case pcm
      /// A wire outside the program.
      case wired
      /// A PCM that the amplifier lends to the source while its input is selected.
      case alsa(isSelected: Bool)
      /// The ends have no kind of cable in common.
      case impossible(DeviceError)
    }
    var kind: Kind
    /// The generation and the requests of the source, and the generation of the sink. The cable is
    /// plugged again when one of them rises.
    var generations: [Int]
  }

  /// The connection of the ends at `input`; `nil` while the source is not available.
  func connection(at input: String) -> Connection? {
    guard let source, source.availability == .available else { return nil }
    guard let sink, sink.availability == .available else {
      return Connection(kind: .none, generations: [source.generation, source.plugRequests])
    }
    let kinds = (source.capabilities.cables, sink.capabilities.cables)
    let kind: Connection.Kind =
      switch CableKind.joining(kinds.0, kinds.1) {
      case .pcm: .pcm
      case .wired: .wired
      case .alsa: .alsa(isSelected: sink.state.reports(input: input))
      case nil: .impossible(.noCommonCable(from: kinds.0, to: kinds.1))
      }
    return Connection(
      kind: kind, generations: [source.generation, source.plugRequests, sink.generation])
  }
}

extension DeviceState {
  /// Whether the amplifier itself has reported that it is on and has selected `input`. An assumed state
  /// is not enough: the amplifier may still have the PCM open.
  fileprivate func reports(input: String) -> Bool {
    readings[.power]?.provenance == .reported && power == .on
      && readings[.input]?.provenance == .reported && self.input == input
  }
}

extension DeviceError {
  /// The error of two ends without a common kind of cable.
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
