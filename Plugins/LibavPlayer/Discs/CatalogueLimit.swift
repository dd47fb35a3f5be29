import Devices
import JSON
import PluginProtocol

/// Keeps a catalogue within one line of the plugin protocol.
enum CatalogueLimit {
  /// The items that fit, in their order; `warn` is told when some do not.
  static func fit(_ items: [CatalogueItem], warn: (String) -> Void) -> [CatalogueItem] {
    var room = ProtocolLimits.longestLine - 4_096
    for (index, item) in items.enumerated() {
      room -= item.json.text().utf8.count + 1
      if room < 0 {
        warn(
          "only \(index) of \(items.count) songs fit into one answer; "
            + "list the folders one by one in the library")
        return Array(items.prefix(index))
      }
    }
    return items
  }
}
