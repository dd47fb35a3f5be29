import Devices
import JSON
import PluginKit
import Synchronization

/// A DVD player with a changer full of films in 5.1.
final class DVDPlayerSimulation: PlayerDevice {
  private enum Audio: String { case surround, twoChannel }
  private let player: DiscPlayer
  private let audio = Mutex(Audio.surround)

  init(_ simulation: Simulation) throws(DeviceError) {
    let films = try simulation.options.list(
      "films", expected: "an object such as {\"id\": \"a\", \"title\": \"A\", \"duration\": 60}"
    ) { Recording($0, channels: 6) }
    player = try DiscPlayer(
      simulation, films ?? Recording.demoFilms,
      nouns: .init(player: "DVD player", recording: "film", part: "chapter"), goesOn: false)
  }

  func open() async throws(DeviceError) -> Capabilities {
    player.open(alsoReporting: [.audio: .string(audio.withLock(\.rawValue))])
  }
  func close() async { await player.close() }

  func perform(_ command: DVDPlayerCommand) async throws(DeviceError) {
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
    case .surroundAudio: try send(.surround)
    case .twoChannelAudio: try send(.twoChannel)
    }
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] { player.scan() }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    throw DeviceError(.unsupported, "this player takes no cable yet")
  }

  private func send(_ audio: Audio) throws(DeviceError) {
    guard try player.isOn() else { return }
    self.audio.withLock { $0 = audio }
    player.simulation.report([.audio: .string(audio.rawValue)])
  }
}
