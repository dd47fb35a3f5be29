import Devices
import MQTTClient
import PluginKit

/// The options of a device's broker. Devices with equal options share one connection.
struct BrokerOptions: Sendable, Hashable {
  let address: BrokerAddress
  /// The MQTT client id; nil for a new random one at each start.
  let clientID: String?
  /// The topic whose retained message is `online` while the plugin is connected, otherwise `offline`; nil for none.
  let statusTopic: String?

  /// Reads and validates the option `broker`.
  ///
  /// - Throws: `invalid` with the name of the wrong option.
  init(_ reader: OptionReader) throws(DeviceError) {
    let host = try reader.required("host")
    let isEncrypted = try reader.flag("tls", or: false)
    let port = try reader.integer("port", in: 1...65_535)
    let caFile = try reader.text("caFile")
    if caFile != nil, !isEncrypted {
      throw reader.error("caFile", "has no effect without \"tls\": true")
    }
    let user = try reader.text("user")
    let password = try reader.text("password")
    if password != nil, user == nil { throw reader.error("user", "is missing beside a password") }
    address = BrokerAddress(
      host: host, port: port, tls: isEncrypted ? .init(caFile: caFile) : nil, user: user,
      password: password)
    clientID = try reader.text("clientID")
    let status = try reader.text("statusTopic") ?? Self.defaultStatusTopic
    statusTopic = status.isEmpty ? nil : try reader.topic(status, "statusTopic")
  }

  static let defaultStatusTopic = "home-theater/status"
}
