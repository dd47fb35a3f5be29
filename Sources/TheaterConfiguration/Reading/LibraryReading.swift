import Devices
import HomeTheater
import JSON

extension ConfigurationReader {
  /// The library, without the entries that have a mistake in them.
  mutating func readLibrary() -> Library {
    let folders = texts(member("library")["folders"] ?? .null, at: [])
    return Library(
      films: readItems("films", players: [.dvdPlayer, .cdPlayer]),
      songs: readItems("songs", players: [.dvdPlayer, .cdPlayer]),
      stations: readItems("stations", players: [.tuner]),
      folders: folders.map { LibraryFolder(path: origin.absolute($0)) })
  }

  private mutating func readItems(_ list: String, players: [Role]) -> [LibraryItem] {
    var items: [LibraryItem] = []
    var places: [String: JSONPath] = [:]
    for (index, item) in (member("library")[list]?.array ?? []).enumerated() {
      let path: JSONPath = [.key("library"), .key(list), .index(index)]
      guard !isFlawed(path), let title = item["title"]?.string else { continue }
      let id = item["id"]?.string ?? title
      if let first = places.updateValue(path, forKey: id) {
        report(
          .reference, at: path.appending(item["id"] == nil ? "title" : "id"),
          "the id \"\(id)\" is already taken by \(first)",
          hint: "Positions are saved by it: give each an id of its own.")
      }
      let player = item["player"]?.string.flatMap {
        device(
          $0, at: path.appending("player"), as: players,
          what: players == [.tuner] ? "a tuner" : "a DVD or CD player")
      }
      items.append(
        LibraryItem(
          id: id, title: title, artist: item["artist"]?.string, album: item["album"]?.string,
          duration: item["duration"]?.number, player: player, frequency: Self.frequency(of: item)))
    }
    return items
  }

  private static func frequency(of station: JSON) -> StationFrequency? {
    if let kilohertz = station["am"]?.number { return .am(kilohertz) }
    return station["fm"]?.number.map { .fm($0) }
  }
}
