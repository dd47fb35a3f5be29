import Devices
import JSON

/// The part of the library that a principal may choose from, with the principal's saved positions.
@TheaterActor
final class PermittedLibrary {
  /// The most saved positions that are looked up in the library.
  private static let mostStopped = 500

  private let library: Library
  private let directory: DeviceDirectory
  private let players: PlayerFollower
  private let house: House
  private let policy: AccessPolicy
  private let pictures = PictureRequests()

  nonisolated init(
    library: Library, directory: DeviceDirectory, players: PlayerFollower, house: House,
    policy: AccessPolicy
  ) {
    self.library = library
    self.directory = directory
    self.players = players
    self.house = house
    self.policy = policy
  }

  /// The entries of a category within the age limit; none of a category that no permitted activity plays.
  func entries(_ category: Category, for principal: Principal) -> [Catalogue.Entry] {
    guard principal.mayChoose(category, in: directory.plan) else { return [] }
    return library.catalogue.entries(category, ageLimit: principal.ageLimit)
  }

  /// A part of these entries, each with the principal's saved position.
  func page(
    _ category: Category, _ query: LibraryQuery, for principal: Principal
  ) async -> LibraryPage {
    guard principal.mayChoose(category, in: directory.plan) else {
      return LibraryPage(elements: [], total: 0)
    }
    let (entries, total) = library.catalogue.page(category, query, ageLimit: principal.ageLimit)
    guard category != .stations, !entries.isEmpty, let user = principal.user else {
      return LibraryPage(
        elements: entries.map { LibraryPage.Element(entry: $0, position: nil) }, total: total)
    }
    let positions = Dictionary(
      await players.savedPositions(of: user).map { ($0.item, $0.seconds) },
      uniquingKeysWith: { first, _ in first })
    return LibraryPage(
      elements: entries.map { entry in
        LibraryPage.Element(
          entry: entry,
          position: positions[UTF8Key(entry.item.id)].flatMap {
            ResumeRule(category, entry).isResumable($0) ? $0 : nil
          })
      }, total: total)
  }

  /// The films and songs that the principal has left before their end and may choose, each with its category, the
  /// most recent one first.
  ///
  /// - Parameter limit: The most items.
  func stopped(
    limit: Int, for principal: Principal
  ) async -> [(category: Category, element: LibraryPage.Element)] {
    guard let user = principal.user else { return [] }
    let positions = await players.savedPositions(of: user).prefix(Self.mostStopped)
    let found = library.catalogue.entries(
      Set(positions.map(\.item)), in: categories(for: principal).filter { $0 != .stations },
      ageLimit: principal.ageLimit)
    return positions.lazy.compactMap { item, seconds in
      found[item].flatMap { category, entry in
        ResumeRule(category, entry).isResumable(seconds)
          ? (category, LibraryPage.Element(entry: entry, position: seconds)) : nil
      }
    }.prefix(limit).map(\.self)
  }

  /// All items of a category with the principal's saved positions, once every player's catalogue has been read.
  func items(_ category: Category, for principal: Principal) async -> [ListedItem] {
    await library.scanUnread()
    return await page(category, LibraryQuery(), for: principal).elements.map {
      ListedItem(item: $0.entry.item, position: $0.position)
    }
  }

  /// The picture of an item; `nil` if no player has one.
  ///
  /// - Throws: `notFound` if the item is neither among those that the principal may choose nor the current one, which
  ///   all see, and if it is rated above the principal's age limit; `deviceFailed` if its player does not answer.
  func picture(
    of item: String, for principal: Principal
  ) async throws(TheaterError) -> ItemPicture? {
    let categories =
      isCurrent(item, for: principal) ? Category.allCases : categories(for: principal)
    guard let entry = library.catalogue.entry(id: item, in: categories),
      policy.permits(item, ageLimit: principal.ageLimit)
    else { throw .notInLibrary(item) }
    guard entry.item.hasPicture else { return nil }
    var failure: TheaterError?
    for id in entry.players {
      guard let player = directory[id] else { continue }
      do throws(DeviceError) {
        let picture = try await pictures.picture(of: item, from: player, for: principal.user)
        if let picture { return picture }
      } catch {
        failure = failure ?? TheaterError(error, device: id)
      }
    }
    if let failure { throw failure }
    return nil
  }

  /// Reads every player's catalogue again.
  ///
  /// - Returns: One report a player. A principal with an age limit does not get the names of files, because a file
  ///   without a listed film has no rating.
  func scan(for principal: Principal) async -> [ScanReport] {
    var reports = await library.scanAll()
    if principal.ageLimit != nil { for index in reports.indices { reports[index].leftOut = [] } }
    return reports
  }

  /// Whether it is the item of an activity in a room that the principal may see.
  private func isCurrent(_ item: String, for principal: Principal) -> Bool {
    let plan = directory.plan
    let open = plan.rooms(openTo: principal)
    return plan.allRooms.contains { room in
      (open?.contains(room.id) ?? true)
        && house[room.id].session.report.item?.hasSameBytes(as: item) == true
    }
  }

  /// The categories of which the principal may choose items.
  private func categories(for principal: Principal) -> [Category] {
    Category.allCases.filter { principal.mayChoose($0, in: directory.plan) }
  }
}
