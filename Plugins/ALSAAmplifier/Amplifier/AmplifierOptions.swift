import Devices
import JSON

/// The options of one amplifier in `devices.json`; see manifest.json for what they mean.
struct AmplifierOptions: Sendable, Equatable {
  /// An ALSA PCM name.
  var device = "default"
  /// `auto`, `software`, `CONTROL` or `CARD/CONTROL`.
  var mixer = "auto"
  /// The length of the device's buffer, 20–500 ms.
  var buffer = 200
  /// Whether to go on silently if there is no PCM.
  var silentWhenMissing = false
  /// Whether the device is asked to give back frames that it has not played yet.
  var rewind = RewindPolicy.auto
  /// The highest volume after turning on, 0–100 %.
  var startupVolume = 40
  /// Whether to report levels.
  var meter = false
  /// The inputs on which other programs of this machine are heard.
  var programInputs: [String] = []

  /// Reads options that the manifest's schema has checked; missing ones have their defaults.
  init(_ json: JSON) throws(DeviceError) {
    device = json["device"]?.string ?? device
    mixer = json["mixer"]?.string ?? mixer
    buffer = min(max(json["buffer"]?.integer ?? buffer, 20), 500)
    silentWhenMissing = json["whenMissing"]?.string == "silent"
    rewind = json["takeBack"]?.string.flatMap(RewindPolicy.init) ?? rewind
    startupVolume = min(max(json["startupVolume"]?.integer ?? startupVolume, 0), 100)
    meter = json["meter"]?.bool ?? meter
    programInputs = json["inputs"]?.array?.compactMap(\.string) ?? []
    guard !device.isEmpty, !device.utf8.contains(0), !mixer.utf8.contains(0) else {
      throw DeviceError(
        .invalid, "\"device\" is not the name of a sound device",
        hint: "`theater audio devices` lists what this machine has")
    }
  }
}
