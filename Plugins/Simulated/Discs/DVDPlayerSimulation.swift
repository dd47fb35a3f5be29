import Devices
import JSON
import PluginKit
import Synchronization

/// A DVD player with a changer full of films in 5.1.
final class DVDPlayerSimulation: PlayerDevice {
  private enum Audio: String { case surround, twoChannel }
  private let player: DiscPlayerSimulation
  private let audio = Mutex(Audio.surround)

  init(_ simulation: Simulation) throws(DeviceError) {
    let films = try simulation.options.entries(
      "films", expected: "an object such as {\"id\": \"a\", \"title\": \"A\", \"duration\": 60}"
    ) { Recording($0, channels: 6) }
    player = try DiscPlayerSimulation(
      simulation, films ?? Recording.demoFilms,
      nouns: .init(player: "DVD player", recording: "film", part: "chapter"), playsOn: false)
  }

  func open() async throws(DeviceError) -> Capabilities {
    player.open(alsoReporting: [.audio: .string(audio.withLock(\.rawValue))])
  }
  func close() async { await player.close() }

  func perform(_ command: DVDPlayerCommand) async throws(DeviceError) {
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
    case .surroundAudio: try await send(.surround)
    case .twoChannelAudio: try await send(.twoChannel)
    }
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] { player.scan() }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await player.plug(into: socket)
  }

  private func send(_ audio: Audio) async throws(DeviceError) {
    guard try player.acceptsCommand() else { return }
    self.audio.withLock { $0 = audio }
    await player.sendTwoChannels(audio == .twoChannel)
    player.simulation.report([.audio: .string(audio.rawValue)])
  }
}
