import Devices
import JSON
import Scenes

/// Everything that can be chosen: what the configuration names and what the players have found.
package struct Catalogue: Sendable {
  /// One film, song or station with the players that can play it.
  package struct Entry: Sendable, Hashable {
    package var item: CatalogueItem
    package var frequency: StationFrequency?
    /// From which age on it may be watched, in years; `nil` where nothing is said.
    package var rating: Int?
    /// Who can play it; empty when the configuration names it and nobody has been asked yet.
    package var players: [DeviceID]

    /// The entry for the API.
    package var json: JSON {
      guard var object = item.json.object else { return item.json }
      switch frequency {
      case .am(let kilohertz): object["am"] = .number(kilohertz)
      case .fm(let megahertz): object["fm"] = .number(megahertz)
      case nil: break
      }
      if let rating { object["rating"] = .integer(rating) }
      object["players"] = .array(players.map { .string($0.name) })
      return .object(object)
    }
  }

  private let named: [Category: [Entry]]
  private var scanned: [Category: [DeviceID: [CatalogueItem]]] = [:]
  /// Put together when something was found, not whenever somebody looks: there may be many songs.
  private var lists: [Category: [Entry]] {
    didSet { foldedTitles = lists.mapValues { $0.map { $0.item.title.lowercased() } } }
  }
  /// The title of each entry in lower case, for searching.
  private var foldedTitles: [Category: [String]] = [:]

  /// Begins with what the configuration names.
  package init(_ library: Library) {
    named = [
      .films: library.films.map(Entry.init), .songs: library.songs.map(Entry.init),
      .stations: library.stations.map(Entry.init),
    ]
    lists = named
    foldedTitles = named.mapValues { $0.map { $0.item.title.lowercased() } }
  }

  /// Takes what a player has found, in place of what it found before.
  package mutating func take(_ items: [CatalogueItem], from player: DeviceID, role: Role) {
    guard let category = role.category else { return }
    scanned[category, default: [:]][player] = items
    lists[category] = merged(category)
  }

  /// A category's list: the configuration's own order first, then what was found, by album and
  /// title.
  package func entries(_ category: Category) -> [Entry] { lists[category] ?? [] }

  /// What somebody may choose for whom there is an age limit: what is rated above it is not listed.
  package func entries(_ category: Category, ageLimit: Int?) -> [Entry] {
    guard ageLimit != nil else { return entries(category) }
    return entries(category).filter { isOffered($0, ageLimit) }
  }

  private func isOffered(_ entry: Entry, _ ageLimit: Int?) -> Bool {
    ageLimit.map { entry.rating ?? 0 <= $0 } ?? true
  }

  /// The film, song or station with this id.
  package func entry(id: String) -> Entry? {
    for category in Category.allCases {
      if let entry = entries(category).first(where: { $0.item.id.hasSameBytes(as: id) }) {
        return entry
      }
    }
    return nil
  }

  private func merged(_ category: Category) -> [Entry] {
    var entries = named[category] ?? []
    var places = Dictionary(
      entries.indices.map { (UTF8Key(entries[$0].item.id), $0) },
      uniquingKeysWith: { first, _ in first })
    let count = entries.count
    for (player, items) in (scanned[category] ?? [:]).sorted(by: { $0.key < $1.key }) {
      for item in items {
        if let place = places[UTF8Key(item.id)] {
          entries[place].take(item, from: player)
        } else {
          places[UTF8Key(item.id)] = entries.count
          entries.append(Entry(item: item, frequency: nil, rating: nil, players: [player]))
        }
      }
    }
    let found = entries[count...].map { (key: $0.item.sortKey, entry: $0) }
    return entries[..<count] + found.sorted { $0.key < $1.key }.map(\.entry)
  }

  /// The entry that `text` names: by id, by title, or by the only title that contains it.
  ///
  /// - Parameter ageLimit: What is rated above it is found by its whole name only, never offered.
  package func find(_ text: String, in category: Category, ageLimit: Int? = nil)
    throws(TheaterError) -> Entry
  {
    let all = entries(category)
    if let exact = all.first(where: { $0.item.id.hasSameBytes(as: text) }) { return exact }
    let search = TitleSearch(text)
    let titles = foldedTitles[category] ?? []
    if let search, let exact = zip(all, titles).first(where: { search.isTitle($0.1) }) {
      return exact.0
    }
    let entries = entries(category, ageLimit: ageLimit)
    let similar =
      search.map { search in
        zip(all, titles).filter { isOffered($0.0, ageLimit) && search.occurs(in: $0.1) }.map(\.0)
      } ?? []
    if similar.count == 1, let only = similar.first { return only }
    if similar.count > 1 {
      let titles = similar.prefix(5).map { "\"\($0.item.title)\"" }.joined(separator: ", ")
      throw TheaterError(
        .invalid, "\"\(text.quotation)\" could be \(titles)", hint: "Give the whole title.")
    }
    let near = nearest(to: text, in: entries.map(\.item.title))
    throw TheaterError(
      .notFound, "there is no \(category.singular) \"\(text.quotation)\"",
      hint: near.map { "Did you mean \"\($0)\"?" } ?? "See: theater \(category.rawValue)")
  }
}

extension Catalogue.Entry {
  fileprivate init(_ item: LibraryItem) {
    self.init(
      item: CatalogueItem(
        id: item.id, title: item.title, artist: item.artist, album: item.album,
        duration: item.duration),
      frequency: item.frequency, rating: item.rating, players: item.player.map { [$0] } ?? [])
  }

  /// What the configuration says counts; what it leaves open is filled in from the scan.
  fileprivate mutating func take(_ found: CatalogueItem, from player: DeviceID) {
    if !players.contains(player) { players.append(player) }
    item.artist = item.artist ?? found.artist
    item.album = item.album ?? found.album
    item.track = item.track ?? found.track
    item.duration = item.duration ?? found.duration
    item.format = item.format ?? found.format
    item.channels = item.channels ?? found.channels
  }
}

extension CatalogueItem {
  fileprivate var sortKey: String {
    let number = String(track ?? 0)
    return "\(album ?? "")\u{1}\(String(repeating: "0", count: max(0, 6 - number.count)))\(number)"
      + "\u{1}\(title)"
  }
}

extension Role {
  /// What a player of this role plays.
  var category: Category? {
    switch self {
    case .dvdPlayer: .films
    case .cdPlayer: .songs
    case .tuner: .stations
    default: nil
    }
  }
}

extension Category {
  /// One of it, in a person's words.
  package var singular: String {
    switch self {
    case .films: "film"
    case .songs: "song"
    case .stations: "station"
    }
  }
}
