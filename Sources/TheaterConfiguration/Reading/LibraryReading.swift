import Devices
import HomeTheater
import JSON
import Scenes

extension ConfigurationReader {
  /// Reads the library; entries with an error are left out.
  mutating func readLibrary() -> LibraryPlan {
    let folders = texts(member("library")["folders"] ?? .null)
    // Positions are saved by the ids of films and songs.
    var items: [UTF8Key: JSONPath] = [:]
    var stations: [UTF8Key: JSONPath] = [:]
    return LibraryPlan(
      films: readItems("films", players: .playback, &items),
      songs: readItems("songs", players: .playback, &items),
      stations: readItems("stations", players: .tuning, &stations),
      folders: folders.map { LibraryFolder(path: origin.absolute($0)) })
  }

  /// - Parameter places: Where each id stands so far.
  private mutating func readItems(
    _ list: String, players: DeviceTrait.Kind, _ places: inout [UTF8Key: JSONPath]
  ) -> [LibraryItem] {
    var items: [LibraryItem] = []
    for (index, item) in (member("library")[list]?.array ?? []).enumerated()
    where !isFull {
      let path: JSONPath = [.key("library"), .key(list), .index(index)]
      let title = text("title", of: item, at: path)
      let id = text("id", of: item, at: path) ?? (list == "stations" ? title : nil)
      if let id, let first = places.updateValue(path, forKey: UTF8Key(id)) {
        report(
          .reference, at: path.appending(item["id"] == nil ? "title" : "id"),
          "the id \"\(id.quotation)\" is already taken by \(first)",
          hint: "Positions are saved by it: give each an id of its own.")
      }
      let player = text("player", of: item, at: path).flatMap {
        device(
          $0, at: path.appending("player"), as: Role.having(players),
          what: players == .tuning ? "a tuner" : "a DVD or CD player")
      }
      guard let id, let title else { continue }
      items.append(
        LibraryItem(
          id: id, title: title, artist: item["artist"]?.string, album: item["album"]?.string,
          duration: item["duration"]?.number,
          rating: item["rating"]?.number.flatMap { Int(exactly: $0) }, player: player,
          frequency: Self.frequency(of: item)))
    }
    return items
  }

  private static func frequency(of station: JSON) -> StationFrequency? {
    if let kilohertz = station["am"]?.number { return .am(kilohertz) }
    return station["fm"]?.number.map { .fm($0) }
  }
}
