import Devices
import Platform
import PluginKit

/// Plays films and discs with mpv.
@main
struct MpvPlayer {
  static func main() async { await plugin(MpvSetup()).run() }

  /// Makes the plugin that the manifest describes.
  static func plugin(_ setup: MpvSetup, clock: any TheaterClock = SystemClock()) -> Plugin {
    Plugin(
      id: "MpvPlayer", version: "1.0.0",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          DVDFilmPlayer(
            player: try FilmPlayer(context: context, isCD: false, setup: setup, clock: clock))
        },
        DeviceMaker { (context) throws(DeviceError) in
          CDSongPlayer(
            player: try FilmPlayer(context: context, isCD: true, setup: setup, clock: clock))
        },
      ],
      selfCheck: { check(setup) })
  }

  /// Checks that mpv starts and that the ALSA module is there.
  private static func check(_ setup: MpvSetup) -> SelfCheck {
    guard setup.module != nil else { return .failed(DeviceError.noModule) }
    do throws(SystemError) {
      let version = try ChildProcess(
        ProgramStart(
          setup.program, ["--no-config", "--version"], environment: setup.variables))
      let status = version.wait()
      guard status == .exited(0) else {
        return .failed(
          "mpv --version ended with \(status)", hint: "Install it again: apt install mpv")
      }
      return .passed
    } catch {
      return .failed(DeviceError.notStarted(setup.program, error))
    }
  }
}

extension SelfCheck {
  fileprivate static func failed(_ error: DeviceError) -> SelfCheck {
    .failed(error.message, hint: error.hint ?? "")
  }
}
