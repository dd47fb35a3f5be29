import CALSA
import PluginKit

/// Whether libasound can be used at all. That a device is missing is no fault of the plugin: it is
/// told when the amplifier is turned on.
enum SoundCheck {
  /// The outcome of `--self-check`.
  static var outcome: SelfCheck {
    let result = snd_config_update()
    guard result < 0 else { return .passed }
    return .failed(
      "libasound cannot read its configuration (\(String(cString: snd_strerror(result))))",
      hint: "`sudo apt install --reinstall libasound2-data`, and look at ~/.asoundrc")
  }
}
