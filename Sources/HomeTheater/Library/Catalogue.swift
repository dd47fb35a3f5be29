import Devices
import JSON
import Scenes

/// The items that users can choose: those of the configuration, and those that players have found.
package struct Catalogue: Sendable {
  /// One film, song or station with the players that can play it.
  package struct Entry: Sendable, Hashable {
    /// The item, as the configuration or the player describes it.
    package var item: CatalogueItem
    /// The frequency of a station; `nil` for other items, and for stations known by name alone.
    package var frequency: StationFrequency?
    /// The age rating in years; `nil` without a rating.
    package var rating: Int?
    /// The players that can play it; empty for a configured item that no player has reported yet.
    package var players: [DeviceID]

    /// `{"id": …, "title": …, "rating": …, "am" or "fm": …, "players": […]}` and the item's other
    /// members.
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

  private var named: [Category: [Entry]]
  private var scanned: [Category: [DeviceID: [CatalogueItem]]] = [:]
  /// The entries of each category. They are merged when a player has found items, not at each
  /// query, because there may be many songs.
  private var lists: [Category: EntryList]

  /// Entries, prepared for searching.
  private struct EntryList: Sendable {
    let entries: [Entry]
    /// The title of each entry in lower case.
    let foldedTitles: [String]
    let index: SearchIndex

    init(_ entries: [Entry]) {
      self.entries = entries
      foldedTitles = entries.map { $0.item.title.lowercased() }
      index = SearchIndex(entries)
    }
  }

  /// The configured items of a library.
  package init(_ library: LibraryPlan) {
    named = Self.entries(library)
    lists = named.mapValues { EntryList($0) }
  }

  private static func entries(_ library: LibraryPlan) -> [Category: [Entry]] {
    [
      .films: library.films.map(Entry.init), .songs: library.songs.map(Entry.init),
      .stations: library.stations.map(Entry.init),
    ]
  }

  /// Replaces the configured items, and drops the found items of players that are gone.
  ///
  /// - Parameter isPlayer: Returns whether the device is a player of the category.
  mutating func replaceLibrary(
    _ library: LibraryPlan, keepingItemsOf isPlayer: (DeviceID, Category) -> Bool
  ) {
    named = Self.entries(library)
    for category in Category.allCases {
      scanned[category] = scanned[category]?.filter { isPlayer($0.key, category) }
      lists[category] = EntryList(merged(category))
    }
  }

  /// Replaces the items that a player has found.
  package mutating func setItems(_ items: [CatalogueItem], of player: DeviceID, role: Role) {
    guard let category = role.category else { return }
    scanned[category, default: [:]][player] = items
    lists[category] = EntryList(merged(category))
  }

  /// The entries of a category: the configured ones in their order, then those that players have
  /// found, by album, track and title.
  package func entries(_ category: Category) -> [Entry] { lists[category]?.entries ?? [] }

  /// The entries of a category that are not rated above the age limit.
  package func entries(_ category: Category, ageLimit: Int?) -> [Entry] {
    guard ageLimit != nil else { return entries(category) }
    return entries(category).filter { isOffered($0, ageLimit) }
  }

  /// Returns the page of a query in a category, and the number of all matching entries. Entries
  /// rated above the age limit are left out.
  package func page(
    _ category: Category, _ query: LibraryQuery, ageLimit: Int?
  ) -> (entries: ArraySlice<Entry>, total: Int) {
    let all = entries(category)
    if let search = query.search, let index = lists[category]?.index {
      let indices = index.indices(matching: search).filter { isOffered(all[$0], ageLimit) }
      let page = indices.dropFirst(query.offset).prefix(query.limit ?? indices.count)
      return (page.map { all[$0] }[...], indices.count)
    }
    let matching = entries(category, ageLimit: ageLimit)
    return (
      matching.dropFirst(query.offset).prefix(query.limit ?? matching.count), matching.count
    )
  }

  private func isOffered(_ entry: Entry, _ ageLimit: Int?) -> Bool {
    ageLimit.map { entry.rating ?? 0 <= $0 } ?? true
  }

  /// The number of entries of all categories.
  var count: Int { lists.values.reduce(0) { $0 + $1.entries.count } }

  /// Returns the film, song or station with this id, if it is in one of the categories.
  package func entry(id: String, in categories: [Category] = Category.allCases) -> Entry? {
    for category in categories {
      if let entry = entries(category).first(where: { $0.item.id.hasSameBytes(as: id) }) {
        return entry
      }
    }
    return nil
  }

  /// The entries with these ids that are not rated above the age limit, and their categories.
  func entries(
    _ ids: Set<UTF8Key>, in categories: [Category], ageLimit: Int?
  ) -> [UTF8Key: (category: Category, entry: Entry)] {
    guard !ids.isEmpty else { return [:] }
    var found: [UTF8Key: (category: Category, entry: Entry)] = [:]
    for category in categories {
      for entry in entries(category, ageLimit: ageLimit) {
        let id = UTF8Key(entry.item.id)
        if ids.contains(id), found[id] == nil { found[id] = (category, entry) }
      }
    }
    return found
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
          entries[place].merge(item, from: player)
        } else {
          places[UTF8Key(item.id)] = entries.count
          entries.append(Entry(item: item, frequency: nil, rating: nil, players: [player]))
        }
      }
    }
    let found = entries[count...].map { (key: $0.item.sortKey, entry: $0) }
    return entries[..<count] + found.sorted { $0.key < $1.key }.map(\.entry)
  }

  /// Returns the entry whose id or whole title is `text`; `nil` without one.
  ///
  /// - Parameters: As of ``find(_:in:ageLimit:knownItems:)``.
  func exactEntry(
    _ text: String, in category: Category, ageLimit: Int?, knownItems: Set<UTF8Key> = []
  ) -> Entry? {
    func isFound(_ entry: Entry) -> Bool {
      isOffered(entry, ageLimit) || knownItems.contains(UTF8Key(entry.item.id))
    }
    let all = entries(category)
    if let exact = all.first(where: { $0.item.id.hasSameBytes(as: text) && isFound($0) }) {
      return exact
    }
    let titles = lists[category]?.foldedTitles ?? []
    return TitleSearch(text).flatMap { search in
      zip(all, titles).first { search.isTitle($0.1) && isFound($0.0) }?.0
    }
  }

  /// Returns the entry that `text` names: by id, by title, or by the only title that contains it.
  ///
  /// - Parameters:
  ///   - ageLimit: Entries rated above it are not found, as if they did not exist, and never suggested.
  ///   - knownItems: The ids of entries that are found by their id or whole title whatever their rating.
  /// - Throws: `invalid` if several titles contain the text, `notFound` if none does.
  package func find(
    _ text: String, in category: Category, ageLimit: Int? = nil, knownItems: Set<UTF8Key> = []
  ) throws(TheaterError) -> Entry {
    if let exact = exactEntry(
      text, in: category, ageLimit: ageLimit, knownItems: knownItems)
    {
      return exact
    }
    let all = entries(category)
    let search = TitleSearch(text)
    let titles = lists[category]?.foldedTitles ?? []
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
      hint: near.map { "Did you mean \"\($0)\"?" } ?? "See the list of \(category.rawValue).")
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

  /// Adds a player, and fills in the values that the configuration leaves open.
  fileprivate mutating func merge(_ found: CatalogueItem, from player: DeviceID) {
    if !players.contains(player) { players.append(player) }
    item.artist = item.artist ?? found.artist
    item.album = item.album ?? found.album
    item.track = item.track ?? found.track
    item.duration = item.duration ?? found.duration
    item.format = item.format ?? found.format
    item.channels = item.channels ?? found.channels
    item.hasPicture = item.hasPicture || found.hasPicture
  }
}

extension CatalogueItem {
  fileprivate var sortKey: String {
    let number = String(track ?? 0)
    return "\(album ?? "")\u{1}\(String(repeating: "0", count: max(0, 6 - number.count)))\(number)"
      + "\u{1}\(title)"
  }
}

extension Category {
  /// "film", "song" or "station".
  package var singular: String {
    switch self {
    case .films: "film"
    case .songs: "song"
    case .stations: "station"
    }
  }
}
