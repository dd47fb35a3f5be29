import Devices
import JSON
import PluginKit

/// The options of a device's broker. Devices with equal options share one connection.
struct BrokerOptions: Sendable, Hashable {
  let host: String
  let port: Int
  let isEncrypted: Bool
  /// The path of a PEM file with the trusted certificate authorities; nil for the system's authorities.
  let caFile: String?
  let user: String?
  let password: String?
  /// The MQTT client id; nil for a new random one at each start.
  let clientID: String?
  /// The topic whose retained message is `online` while the plugin is connected, otherwise `offline`; nil for none.
  let statusTopic: String?

  /// Reads and validates the option `broker`.
  ///
  /// - Throws: `invalid` with the name of the wrong option.
  init(_ reader: OptionReader) throws(DeviceError) {
    host = try reader.required("host")
    isEncrypted = try reader.flag("tls", or: false)
    port = try reader.integer("port", in: 1...65_535) ?? (isEncrypted ? 8883 : 1883)
    caFile = try reader.text("caFile")
    if caFile != nil, !isEncrypted {
      throw reader.error("caFile", "has no effect without \"tls\": true")
    }
    user = try reader.text("user")
    password = try reader.text("password")
    if password != nil, user == nil { throw reader.error("user", "is missing beside a password") }
    clientID = try reader.text("clientID")
    let status = try reader.text("statusTopic") ?? Self.defaultStatusTopic
    statusTopic = status.isEmpty ? nil : try reader.topic(status, "statusTopic")
  }

  static let defaultStatusTopic = "home-theater/status"

  /// The host and port, for messages.
  var hostAndPort: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
