import Devices
import JSON
import PluginKit

/// The options of one amplifier in `devices.json`; see manifest.json for what they mean.
struct AmplifierOptions: Sendable, Equatable {
  /// The PCM.
  var device = SoundDeviceName.standard
  /// `auto`, `software`, `CONTROL` or `CARD/CONTROL`.
  var mixer = "auto"
  /// The control that `mixer` means.
  var mixerName = MixerName.software
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

  private enum Missing: String, CaseIterable { case fail, silent }

  /// - Throws: `invalid` with the name of the wrong option.
  init(_ json: JSON) throws(DeviceError) {
    let reader = OptionReader(json)
    let names = OptionReader(json, hint: "`theater audio devices` lists what this machine has")
    device = try names.soundDevice("device") ?? device
    mixer = try names.text("mixer") ?? mixer
    guard let name = MixerName(option: mixer, device: device) else {
      throw names.error("mixer", "is \"\(mixer.quotation)\", expected \(MixerName.expected)")
    }
    mixerName = name
    buffer = try reader.integer("buffer", in: 20...500) ?? buffer
    silentWhenMissing = try reader.choice("whenMissing", or: Missing.fail) == .silent
    rewind = try reader.choice("takeBack", or: rewind)
    startupVolume = try reader.integer("startupVolume", in: 0...100) ?? startupVolume
    meter = try reader.flag("meter", or: meter)
    programInputs = try reader.texts("inputs")
  }
}
