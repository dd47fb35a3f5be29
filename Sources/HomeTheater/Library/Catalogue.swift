import Devices
import JSON
import MediaNames
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
  /// The players in the order of the file; others follow by name.
  private var players: [DeviceID]
  private var scanned: [Category: [DeviceID: [CatalogueItem]]] = [:]
  /// The entries of each category. They are merged when a player has found items, not at each
  /// query, because there may be many songs.
  private var lists: [Category: EntryList]

  /// Entries, prepared for searching.
  private struct EntryList: Sendable {
    let entries: [Entry]
    /// The names under which each entry is found.
    let names: [TitleNames]
    let index: SearchIndex

    init(_ entries: [Entry], _ category: Category) {
      self.entries = entries
      names = entries.map { TitleNames($0.item, isFilm: category == .films) }
      index = SearchIndex(names)
    }
  }

  /// The configured items of a library.
  ///
  /// - Parameter players: The players in the order of the file.
  package init(_ library: LibraryPlan, players: [DeviceID] = []) {
    self.players = players
    named = Self.entries(library)
    lists = Dictionary(uniqueKeysWithValues: named.map { ($0, EntryList($1, $0)) })
  }

  private static func entries(_ library: LibraryPlan) -> [Category: [Entry]] {
    [
      .films: library.films.map(Entry.init), .songs: library.songs.map(Entry.init),
      .stations: library.stations.map(Entry.init),
    ]
  }

  /// Replaces the configured items, and drops the found items of players that are gone.
  ///
  /// - Parameters:
  ///   - players: The players in the order of the file.
  ///   - isPlayer: Returns whether the device is a player of the category.
  mutating func replaceLibrary(
    _ library: LibraryPlan, players: [DeviceID],
    keepingItemsOf isPlayer: (DeviceID, Category) -> Bool
  ) {
    self.players = players
    named = Self.entries(library)
    for category in Category.allCases {
      scanned[category] = scanned[category]?.filter { isPlayer($0.key, category) }
      lists[category] = EntryList(merged(category), category)
    }
  }

  /// Replaces the items that a player has found.
  package mutating func setItems(_ items: [CatalogueItem], of player: DeviceID, role: Role) {
    guard let category = role.category else { return }
    scanned[category, default: [:]][player] = items
    lists[category] = EntryList(merged(category), category)
  }

  /// The entries of a category: the configured ones in their order, then those that players have
  /// found, in the order of the players in the file. The films and stations of a player are in the order in which it
  /// lists them, its songs by album, track and title.
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
    let scanned = scanned[category] ?? [:]
    let order = players.filter { scanned[$0] != nil }
    let ordered = order + Set(scanned.keys).subtracting(order).sorted()
    for (player, items) in ordered.map({ ($0, scanned[$0] ?? []) }) {
      for item in items {
        if let place = places[UTF8Key(item.id)] {
          entries[place].merge(item, from: player)
        } else {
          places[UTF8Key(item.id)] = entries.count
          entries.append(Entry(item: item, frequency: nil, rating: nil, players: [player]))
        }
      }
    }
    guard category == .songs else { return entries }
    let found = Dictionary(grouping: entries[count...], by: \.players.first)
    return entries[..<count] + ordered.flatMap { Self.sorted(found[$0] ?? []) }
  }

  /// Returns entries by album, track and title.
  private static func sorted(_ entries: [Entry]) -> [Entry] {
    entries.map { (key: ListOrder($0.item), entry: $0) }.sorted { $0.key < $1.key }.map(\.entry)
  }

  /// Returns the entries that `text` names, best first, and how well they fit. The one with this id goes before all
  /// others.
  ///
  /// - Parameters: As of ``find(_:in:ageLimit:knownItems:)``.
  private func matches(
    _ text: String, in category: Category, ageLimit: Int?, knownItems: Set<UTF8Key>
  ) -> (fit: TitleSearch.Fit, entries: [Entry])? {
    let all = entries(category)
    func isKnown(_ entry: Entry) -> Bool { knownItems.contains(UTF8Key(entry.item.id)) }
    let same = all.first { $0.item.id.hasSameBytes(as: text) }
    if let same, isOffered(same, ageLimit) || isKnown(same) { return (.title, [same]) }
    guard let search = TitleSearch(text), let names = lists[category]?.names else { return nil }
    var best: (fit: TitleSearch.Fit, entries: [Entry])?
    for (entry, names) in zip(all, names) {
      guard let fit = search.fit(names), best.map({ fit <= $0.fit }) != false,
        isOffered(entry, ageLimit) || (fit <= .name && isKnown(entry))
      else { continue }
      best = best?.fit == fit ? (fit, (best?.entries ?? []) + [entry]) : (fit, [entry])
    }
    return best
  }

  /// Whether `text` is the id, the whole title or the name of the file of one entry.
  ///
  /// - Parameters: As of ``find(_:in:ageLimit:knownItems:)``.
  func namesOneEntry(
    _ text: String, in category: Category, ageLimit: Int?, knownItems: Set<UTF8Key> = []
  ) -> Bool {
    let found = matches(text, in: category, ageLimit: ageLimit, knownItems: knownItems)
    return found.map { $0.fit <= .name && $0.entries.count == 1 } ?? false
  }

  /// Returns the entry that `text` names: by its id, by its title, by the name of its file, by the only title that
  /// contains it, or by the words of title, artist and album. Case, accents and punctuation do not count.
  ///
  /// - Parameters:
  ///   - ageLimit: Entries rated above it are not found, as if they did not exist, and never suggested.
  ///   - knownItems: The ids of entries that are found by their id or whole title whatever their rating.
  /// - Throws: `invalid` if the text names several entries, `notFound` if it names none.
  package func find(
    _ text: String, in category: Category, ageLimit: Int? = nil, knownItems: Set<UTF8Key> = []
  ) throws(TheaterError) -> Entry {
    let found = matches(text, in: category, ageLimit: ageLimit, knownItems: knownItems)
    if let found, let first = found.entries.first {
      guard found.entries.count > 1 else { return first }
      throw Self.ambiguity(text, found.entries, category)
    }
    let near = nearest(to: text, in: entries(category, ageLimit: ageLimit).map(\.item.title))
    throw TheaterError(
      .notFound, "there is no \(category.singular) \"\(text.quotation)\"",
      hint: near.map { "Did you mean \"\($0)\"?" } ?? "See the list of \(category.rawValue).")
  }

  /// The error of a text that names several entries. It tells entries of the same title apart.
  private static func ambiguity(
    _ text: String, _ entries: [Entry], _ category: Category
  ) -> TheaterError {
    let most = 5
    let choices = entries.prefix(most)
    let titles = Set(choices.map { $0.item.title.titleKey })
    var hint = "Give the whole title."
    var labels = choices.map { "\"\($0.item.title)\"" }
    if titles.count < choices.count {
      labels = choices.map(\.label)
      hint =
        category == .songs
        ? "Add the artist or the album: \"TITLE ARTIST\"." : "Add the year, or give the id."
      if Set(labels).count < labels.count {
        labels = choices.map { "\"\($0.item.title)\" (\($0.item.id))" }
        hint = "Give the id, which is in brackets."
      }
    }
    if entries.count > most { labels.append("\(entries.count - most) more") }
    return TheaterError(
      .invalid, "\"\(text.quotation)\" could be \(labels.joined(separator: ", "))", hint: hint)
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
    item.disc = item.disc ?? found.disc
    item.duration = item.duration ?? found.duration
    item.format = item.format ?? found.format
    item.channels = item.channels ?? found.channels
    item.hasPicture = item.hasPicture || found.hasPicture
  }
}

extension Catalogue.Entry {
  /// The title, with artist and album.
  fileprivate var label: String {
    let place = [item.artist, item.album].compactMap(\.self).joined(separator: ", ")
    return place.isEmpty ? "\"\(item.title)\"" : "\"\(item.title)\" (\(place))"
  }
}

extension TitleNames {
  /// The names of an item.
  init(_ item: CatalogueItem, isFilm: Bool) {
    self.init(
      title: item.title, id: item.id, artist: item.artist, album: item.album, isFilm: isFilm)
  }
}

/// The place of a found item in its list: by album, disc, track and title. The discs of an album follow each other, and
/// so do two albums with the same title, because each has a folder of its own.
private struct ListOrder: Comparable {
  private let album: NaturalOrder.Key
  /// The folder of the album: without the folder of a disc in it.
  private let folder: NaturalOrder.PathKey
  private let disc: Int
  private let track: Int
  private let title: NaturalOrder.Key
  private let path: NaturalOrder.PathKey

  init(_ item: CatalogueItem) {
    var folders = item.id.split(separator: "/").dropLast().map(String.init)
    let isDiscFolder = folders.count > 1 && SongTitle.disc(ofFolder: folders.last ?? "") != nil
    let disc =
      item.album == nil ? nil : item.disc ?? SongTitle.disc(ofPath: item.id, track: item.track)
    if isDiscFolder { folders.removeLast() }
    album = NaturalOrder.Key(item.album ?? "")
    folder = NaturalOrder.PathKey(item.album == nil ? "" : folders.joined(separator: "/"))
    self.disc = disc ?? 1
    track = item.track ?? 0
    title = NaturalOrder.Key(item.title)
    path = NaturalOrder.PathKey(item.id)
  }

  static func < (first: ListOrder, second: ListOrder) -> Bool {
    if first.album != second.album { return first.album < second.album }
    if first.folder != second.folder { return first.folder < second.folder }
    if (first.disc, first.track) != (second.disc, second.track) {
      return (first.disc, first.track) < (second.disc, second.track)
    }
    return first.title == second.title ? first.path < second.path : first.title < second.title
  }

  static func == (first: ListOrder, second: ListOrder) -> Bool {
    !(first < second) && !(second < first)
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
