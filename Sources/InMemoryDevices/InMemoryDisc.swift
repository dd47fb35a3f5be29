import Devices
import JSON

/// The disc of a player in memory: the effects of the commands that play its items.
struct InMemoryDisc: Sendable {
  let items: [CatalogueItem]

  /// The values of a player that is turned off.
  var state: [StateKey: JSON] { stopped([.power: "off", .tray: "closed"]) }

  var capabilities: Capabilities { Capabilities(names: ["seek"], cables: [.wired]) }

  /// Plays an item, resumes the current one, or begins the disc.
  ///
  /// - Throws: `.invalid` for an item that is not on the disc, `.notNow` if the disc is empty.
  func play(_ request: PlayRequest, in state: DeviceState) throws(DeviceError) -> [StateKey: JSON] {
    let present = state.playback
    guard let id = request.item ?? present?.item ?? items.first?.id else {
      throw DeviceError(.notNow, "there is no disc", hint: "Give the player some items.")
    }
    guard let item = items.first(where: { $0.id == id }) else {
      throw DeviceError(.invalid, "there is no item \"\(id.quotation)\" on its discs")
    }
    let resumed = request.item == nil || request.item == present?.item ? present?.position : nil
    return [
      .tray: "closed",
      .playback: playback(.playing, item, at: request.position ?? resumed ?? 0),
    ]
  }

  /// Pauses the item that plays.
  func paused(in state: DeviceState) -> [StateKey: JSON] {
    guard var playback = state.playback, playback.status == .playing else { return [:] }
    playback.status = .paused
    playback.rate = 0
    return [.playback: playback.json]
  }

  /// Returns `values` with the playback stopped.
  func stopped(_ values: [StateKey: JSON]) -> [StateKey: JSON] {
    values.merging([.playback: Playback(.stopped).json]) { $1 }
  }

  /// Goes to a position in the current item, in seconds.
  func seek(to position: Double, in state: DeviceState) -> [StateKey: JSON] {
    guard var playback = state.playback else { return [:] }
    playback.position = min(position, playback.duration ?? position)
    return [.playback: playback.json]
  }

  /// Goes to the item `places` after the current one, if there is one; a negative number goes back.
  func skip(by places: Int, in state: DeviceState) -> [StateKey: JSON] {
    guard let playback = state.playback,
      let place = items.firstIndex(where: { $0.id == playback.item }),
      items.indices.contains(place + places)
    else { return [:] }
    return [.playback: self.playback(playback.status, items[place + places], at: 0)]
  }

  private func playback(
    _ status: Playback.Status, _ item: CatalogueItem, at position: Double
  ) -> JSON {
    Playback(status, item: item.id, position: position, duration: item.duration).json
  }
}
