import Devices
import PluginKit

/// A CD player with a disc of songs; one follows the other.
final class CDPlayerSimulation: PlayerDevice {
  private let player: DiscPlayerSimulation

  init(_ simulation: Simulation) throws(DeviceError) {
    let songs = try simulation.options.entries(
      "songs", expected: "an object such as {\"id\": \"a\", \"title\": \"A\", \"duration\": 60}"
    ) { Recording($0, channels: 2) }
    player = try DiscPlayerSimulation(
      simulation, songs ?? Recording.demoSongs,
      nouns: .init(player: "CD player", recording: "song", part: "song"), playsOn: true)
  }

  func open() async throws(DeviceError) -> Capabilities { player.open() }
  func close() async { await player.close() }

  func perform(_ command: CDPlayerCommand) async throws(DeviceError) {
    switch command {
    case .on: await player.turnOn()
    case .off: await player.turnOff()
    case .play(let request): try await player.perform(.play(request))
    case .pause: try await player.perform(.pause)
    case .stop: try await player.perform(.stop)
    case .eject: try await player.perform(.eject)
    case .seek(let position): try await player.perform(.seek(position))
    case .next: try await player.perform(.next)
    case .previous: try await player.perform(.previous)
    }
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] { player.scan() }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await player.plug(into: socket)
  }
}
