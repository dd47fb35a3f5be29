import Devices
import MediaFolders
import PluginKit
import PluginProtocol

/// A DVD player: films from folders, DVDs and streams.
struct DVDFilmPlayer: PlayerDevice {
  let player: FilmPlayer

  func open() async throws(DeviceError) -> Capabilities { await player.open() }
  func close() async { await player.close() }

  func perform(_ command: DVDPlayerCommand) async throws(DeviceError) {
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
    case .surroundAudio: await player.setStereo(false)
    case .twoChannelAudio: await player.setStereo(true)
    }
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await player.plug(into: socket)
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    try await player.scan(folder)
  }
}

/// A CD player: songs from folders, audio CDs and streams.
struct CDSongPlayer: PlayerDevice {
  let player: FilmPlayer

  func open() async throws(DeviceError) -> Capabilities { await player.open() }
  func close() async { await player.close() }

  func perform(_ command: CDPlayerCommand) async throws(DeviceError) {
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
    }
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await player.plug(into: socket)
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    try await player.scan(folder)
  }
}
