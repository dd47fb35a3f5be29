import Devices
import Glibc
import MediaFolders
import PluginKit

/// Plays music files and radio stations through FFmpeg's libav.
@main
struct LibavPlayer {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == ScanProcess.option {
      ScanProcess.run(Array(arguments.dropFirst()))
      exit(0)
    }
    await plugin.run()
  }

  /// The plugin that the manifest describes.
  static var plugin: Plugin {
    Plugin(
      id: "LibavPlayer", version: "1.0.0",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in try FolderCDPlayer(context: context) },
        DeviceMaker { (context) throws(DeviceError) in try InternetTuner(context: context) },
      ],
      selfCheck: check)
  }

  /// Checks that libav is installed. It stays loaded until the process ends.
  @Sendable
  private static func check() -> SelfCheck {
    do {
      try Libav.load()
      return .passed
    } catch {
      return .failed(error.detail, hint: error.hint)
    }
  }
}
