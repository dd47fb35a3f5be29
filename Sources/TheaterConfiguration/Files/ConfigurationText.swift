import Devices
import JSON

/// A text of `devices.json` in which the entries of devices can be replaced.
package struct ConfigurationText: Sendable {
  /// The text in UTF-8.
  package let bytes: [UInt8]
  private let document: JSONDocument

  /// Reads a text without validating it.
  package init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
    self.bytes = bytes
    document = try JSONDocument(parsing: bytes)
  }

  /// The entry of a device as it is written; `nil` if there is none.
  package subscript(device: DeviceID) -> JSONObject? {
    document.value["devices"]?[device.name]?.object
  }

  /// Returns the text with the entries of these devices replaced; every other byte stays.
  ///
  /// A device without an entry in the text is skipped.
  package func replacing(_ entries: [DeviceID: JSONObject]) throws(JSONSyntaxError)
    -> ConfigurationText
  {
    var text = self
    for (device, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let path: JSONPath = [.key("devices"), .key(device.name)]
      guard let bytes = text.document.replacing(path, with: .object(entry)) else { continue }
      text = try ConfigurationText(bytes)
    }
    return text
  }
}
