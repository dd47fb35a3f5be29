import Devices
import Glibc
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
          try DiscPlayer<DVDPlayerCommand>(context, setup: setup, clock: clock)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try DiscPlayer<CDPlayerCommand>(context, setup: setup, clock: clock)
        },
      ],
      selfCheck: { await check(setup, clock: clock) })
  }

  /// Checks that mpv starts, within 10 s, and that the ALSA module is there.
  static func check(_ setup: MpvSetup, clock: any TheaterClock) async -> SelfCheck {
    guard setup.module != nil else { return .failed(DeviceError.noModule) }
    do throws(SystemError) {
      let version = try ChildProcess(
        ProgramStart(
          setup.program, ["--no-config", "--version"], environment: setup.variables))
      let status = await version.kill(after: .seconds(10), on: clock) {
        await FilmLibrary.onThread { version.wait() }
      }
      let problem: String
      switch status {
      case .exited(0): return .passed
      case .signalled(SIGKILL): problem = "\(setup.program) --version did not end within 10 s"
      default: problem = "\(setup.program) --version ended with \(status)"
      }
      return .failed(problem, hint: "Install it again: apt install mpv")
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
