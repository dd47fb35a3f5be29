import Devices
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

/// A DVD player or a CD player, depending on its commands. It plays films or songs from folders and discs; the DVD
/// player also plays network streams.
struct DiscPlayer<Command: DiscCommand>: PlayerDevice {
  private let player: FilmPlayer

  init(_ context: DeviceContext, setup: MpvSetup, clock: any TheaterClock) throws(DeviceError) {
    player = try FilmPlayer(
      context: context, isCD: Command.role == .cdPlayer, setup: setup, clock: clock)
  }

  func open() async throws(DeviceError) -> Capabilities { await player.open() }
  func close() async { await player.close() }

  func perform(_ command: Command) async throws(DeviceError) {
    let command = command.dvdCommand
    switch command {
    case .on: return try await player.turnOn()
    case .off: return await player.turnOff()
    default: try await player.requireOn()
    }
    switch command {
    case .on, .off: break
    case .play(let request): try await player.play(request)
    case .pause: try await player.pause()
    case .stop: await player.stop()
    case .eject: try await player.eject()
    case .seek(let seconds): try await player.seek(seconds)
    case .next: try await player.skip(1)
    case .previous: try await player.skip(-1)
    case .surroundAudio: try await player.setStereo(false)
    case .twoChannelAudio: try await player.setStereo(true)
    }
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await player.plug(into: socket)
  }

  func plug(pcm: String) async throws(DeviceError) { try await player.switchOutput(toPCM: pcm) }
  func unplug() async throws(DeviceError) { try await player.switchOutput(toPCM: "") }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    try await list(folder: folder).items
  }

  func list(folder: String?) async throws(DeviceError) -> CatalogueListing {
    try await player.list(folder)
  }

  func picture(of item: String) async throws(DeviceError) -> ItemPicture? {
    await player.picture(of: item)
  }
}

/// A command of a DVD player or a CD player.
protocol DiscCommand: RoleCommand {
  /// The same command as a command of the DVD player, which has all commands of the CD player.
  var dvdCommand: DVDPlayerCommand { get }
}

extension DVDPlayerCommand: DiscCommand {
  var dvdCommand: DVDPlayerCommand { self }
}

extension CDPlayerCommand: DiscCommand {
  var dvdCommand: DVDPlayerCommand {
    switch self {
    case .on: .on
    case .off: .off
    case .play(let request): .play(request)
    case .pause: .pause
    case .stop: .stop
    case .eject: .eject
    case .seek(let seconds): .seek(seconds)
    case .next: .next
    case .previous: .previous
    }
  }
}
