import Devices
import PluginProtocol

/// The words of the plugin protocol in the messages of plugins. A secret in one of them is not hidden: the
/// controller could not read the message.
package enum ProtocolWords {
  /// The keys, and the texts with a meaning of their own.
  package static let all: Set<String> = {
    let tables: [[String]] = [
      keys, attributes,
      StateKey.allCases.map(\.rawValue),
      Role.allCases.flatMap(\.states).flatMap { words(of: $0.shape) },
      Role.allCases.flatMap(\.capabilities),
      Provenance.allCases.map(\.rawValue),
      CableKind.allCases.map(\.rawValue),
      DeviceError.Code.allCases.map(\.rawValue),
      LogNotification.Level.allCases.map(\.rawValue),
    ]
    return Set(tables.joined())
  }()

  /// The keys of answers, errors and notifications, beside those of the state.
  private static let keys = [
    // initialize, open
    "protocol", "plugin", "version", "capabilities", "reportsState", "cables",
    // state, levels, log
    "report", "device", "state", "provenance", "attributes", "value", "unit", "label",
    "item", "position", "duration", "rate", "title", "reason",
    "peak", "rms", "level", "message",
    // scan, picture, lend
    "items", "next", "id", "artist", "album", "track", "format", "channels", "picture",
    "data", "pcm", "disc", "leftOut", "leftOutCount", "file",
    // The data of an error
    "kind", "hint", "retryAfter",
  ]

  /// The attributes that the page and the terminal read.
  private static let attributes = ["takes", "remaining", "from", "towards", "lowered", "problem"]

  private static func words(of shape: StateShape) -> [String] {
    switch shape {
    case .words(let words): words
    case .playback: Playback.Status.allCases.map(\.rawValue)
    case .either(let shapes): shapes.flatMap { words(of: $0) }
    case .truth, .null, .argument: []
    }
  }
}
