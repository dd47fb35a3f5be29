import Devices
import Glibc
import JSON
import Platform
import PluginKit

/// The plugin that plays films, songs and discs with mpv.
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

  /// The longest wait for mpv's answer in the self-check. The controller allows 5 s for the whole self-check.
  private static let checkTime = Duration.seconds(4)

  /// Checks that the ALSA module is there, and that mpv starts with the arguments of ``MpvProcess`` and answers.
  static func check(_ setup: MpvSetup, clock: any TheaterClock) async -> SelfCheck {
    guard setup.module != nil else { return .failed(DeviceError.noModule) }
    do throws(SystemError) {
      let mpv = try MpvProcess(
        setup.program, ["--vo=null", "--ao=null"], environment: setup.variables, clock: clock)
      defer { mpv.kill() }
      do throws(MpvFailure) {
        try await mpv.link.ask(["get_property", "mpv-version"], within: checkTime)
        return .passed
      } catch {
        let reason = error == .closed ? "it ended" : "it did not answer within 4 s"
        return .failed(
          "\(setup.program) starts, but cannot be controlled: \(reason)",
          hint: "The player needs mpv 0.33 or newer; see: mpv --version")
      }
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
