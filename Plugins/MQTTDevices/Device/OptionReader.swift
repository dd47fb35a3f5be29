import Devices
import JSON
import MQTTClient
import PluginKit

extension OptionReader {
  /// Returns a required topic after validating it.
  func topic(_ key: String) throws(DeviceError) -> String {
    try topic(try required(key), key)
  }

  /// Validates and returns a topic: at most 512 bytes, without wildcards and control characters.
  ///
  /// - Parameter key: The name of the option, for the error.
  func topic(_ topic: String, _ key: String) throws(DeviceError) -> String {
    guard topic.utf8.count <= MQTTSession.longestTopic,
      !topic.unicodeScalars.contains(where: { "+#".unicodeScalars.contains($0) || $0.value < 32 })
    else {
      throw error(
        key, "is no topic: at most \(MQTTSession.longestTopic) bytes, without \"+\" and \"#\"")
    }
    return topic
  }
}
