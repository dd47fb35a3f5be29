import JSON
import WebServer

extension PluginChoice {
  /// The device's entry in `devices.json` with this choice; `entry` itself if it has this plugin and
  /// nothing else was chosen.
  func entry(replacing entry: JSONObject) -> JSONObject {
    var new = entry
    if let options {
      new["options"] = .object(options)
    } else if entry["plugin"]?.string != plugin {
      new["options"] = nil
    }
    new["plugin"] = .string(plugin)
    if let process { new["process"] = .string(process) }
    return new
  }
}
