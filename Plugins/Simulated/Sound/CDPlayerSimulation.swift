import Devices
import PluginKit

/// A CD player with a disc of songs; one follows the other.
final class CDPlayerSimulation: PlayerDevice {
  private let player: DiscPlayer

  init(_ simulation: Simulation) throws(DeviceError) {
    let songs = try simulation.options.list(
      "songs", expected: "an object such as {\"id\": \"a\", \"title\": \"A\", \"duration\": 60}"
    ) { Recording($0, channels: 2) }
    player = try DiscPlayer(
      simulation, songs ?? Recording.demoSongs,
      nouns: .init(player: "CD player", recording: "song", part: "song"), goesOn: true)
  }

  func open() async throws(DeviceError) -> Capabilities { player.open() }
  func close() async { await player.close() }

  func perform(_ command: CDPlayerCommand) async throws(DeviceError) {
    switch command {
    case .on: try player.perform(.on)
    case .off: try player.perform(.off)
    case .play(let request): try player.perform(.play(request))
    case .pause: try player.perform(.pause)
    case .stop: try player.perform(.stop)
    case .eject: try player.perform(.eject)
    case .seek(let position): try player.perform(.seek(position))
    case .next: try player.perform(.next)
    case .previous: try player.perform(.previous)
    }
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] { player.scan() }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    throw DeviceError(.unsupported, "this player takes no cable yet")
  }
}
