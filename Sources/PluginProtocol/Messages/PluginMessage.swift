import Devices
import JSON

/// A message of the protocol: its declaration, its params and, for a request, its answer.
///
/// The group of its subject lists it in ``PluginContract``. The handlers of a plugin's server, the
/// deadlines of the controller and the table of messages in docs/plugin-protocol.md follow from that.
public protocol PluginMessage: Sendable {
  /// The JSON-RPC method.
  static var method: String { get }
  /// The first version of the protocol that has the message; 1.0 unless it says otherwise.
  static var since: ProtocolVersion { get }
  /// The message's params.
  var params: JSON { get }
  /// Reads the params; `nil` when a required member is missing or of the wrong kind.
  init?(params: JSON)
}

extension PluginMessage {
  public static var since: ProtocolVersion { ProtocolVersion(major: 1, minor: 0) }
}

/// A question from the controller to a plugin, with the type of its answer.
public protocol PluginRequest: PluginMessage {
  /// The result in Swift; `Void` for a request that is only confirmed.
  associatedtype Answer: Sendable
  /// The longest time in which the plugin must answer.
  static var deadline: Duration { get }
  /// Reads the result; `nil` when a member is missing or of the wrong kind.
  static func decodeAnswer(_ result: JSON) -> Answer?
  /// The result that carries the answer.
  static func encodeAnswer(_ answer: Answer) -> JSON
}

extension PluginRequest where Answer == Void {
  public static func decodeAnswer(_ result: JSON) -> Void? { () }
  public static func encodeAnswer(_ answer: Void) -> JSON { .object([:]) }
}

/// A message without an answer, in either direction.
public protocol PluginNotification: PluginMessage {}

/// A notification that the controller sends.
public protocol ControllerNotification: PluginNotification {}

/// The messages about one subject: the plugin, every device, or a facet that some devices have.
public struct MessageGroup: Sendable {
  /// The subject, for people.
  public let title: String
  /// The messages, in the order of the reference.
  public let messages: [any PluginMessage.Type]
}

/// All messages of the protocol.
public enum PluginContract {
  /// The messages by their subjects, in the order of the reference.
  public static let groups: [MessageGroup] = [
    .connection, .device, .mediaSource, .soundSink, .soundSource, .levelMeter,
  ]

  /// Every message, in the order of the reference.
  public static let messages = groups.flatMap(\.messages)

  /// Returns the type of the requests with this method; `nil` if there is none.
  public static func request(_ method: String) -> (any PluginRequest.Type)? {
    messages.lazy.compactMap { $0 as? any PluginRequest.Type }.first { $0.method == method }
  }

  /// The table of messages in docs/plugin-protocol.md, in Markdown.
  package static var referenceTable: String {
    let rows = groups.flatMap { group in group.messages.map { $0.row + " \(group.title) |" } }
    return "| message | sent by | since | answered within | about |\n|---|---|---|---|---|\n"
      + rows.joined(separator: "\n")
  }
}

extension PluginMessage {
  /// The beginning of the message's row in the reference.
  package static var row: String {
    let deadline = (self as? any PluginRequest.Type)?.deadline
    let isFromController = deadline != nil || self is any ControllerNotification.Type
    return "| `\(method)` | \(isFromController ? "controller" : "plugin") | \(since) | "
      + "\(deadline.map { "\($0.components.seconds) s" } ?? "–") |"
  }
}
