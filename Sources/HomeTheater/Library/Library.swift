import Devices
import JSON
import Platform
import Synchronization

/// The films, songs and stations that can be chosen. It reads each player's catalogue when the player
/// starts, and on request.
@TheaterActor
final class Library {
  /// The configured items and those that the players have found.
  private(set) var catalogue: Catalogue {
    didSet { count.store(catalogue.count, ordering: .relaxed) }
  }
  private let count: Atomic<Int>
  private let directory: DeviceDirectory
  private let events: EventLog
  private let clock: any TheaterClock
  private let log: @Sendable (String) -> Void
  /// The number of items whose removal frees megabytes.
  private static let largeCatalogue = 10_000
  /// How long a request waits for the catalogues of players that have only just started.
  nonisolated static let longestWait = Duration.seconds(10)

  /// The generation of each player whose catalogue was requested last.
  private var generations: [DeviceID: Int] = [:]
  /// The players whose catalogue has been read, or could not be read.
  private var readPlayers: Set<DeviceID> = []
  /// The players that a requested scan reads, and those of them that were requested again meanwhile.
  private var scanning: Set<DeviceID> = []
  private var requestedAgain: Set<DeviceID> = []
  /// The number of scans that have begun.
  private var scanCount = 0
  /// The number of the newest scan whose items each player has in the catalogue.
  private var storedScans: [DeviceID: Int] = [:]
  /// The scan of all players that is under way.
  private var fullScan: Task<[ScanReport], Never>?
  /// Whether nothing is to be scanned any more.
  private var isShutDown = false
  private let requests: AsyncStream<DeviceID>
  private let request: AsyncStream<DeviceID>.Continuation
  /// Whether players are read as they start.
  private var isRunning = false
  /// The requests that wait for the end of a scan, by number.
  private var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
  private var waitCount = 0

  nonisolated init(
    directory: DeviceDirectory, events: EventLog, clock: any TheaterClock,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.directory = directory
    self.events = events
    self.clock = clock
    self.log = log
    catalogue = Catalogue(directory.plan.library, players: directory.orderedDevices.map(\.id))
    count = Atomic(catalogue.count)
    (requests, request) = AsyncStream.makeStream()
  }

  /// Whether a search of the titles takes less than about two milliseconds.
  nonisolated var isSmall: Bool { count.load(ordering: .relaxed) <= 1000 }

  /// Scans each player that has started, until the task is cancelled. A slow player delays no other.
  func run() async {
    isRunning = true
    defer { isRunning = false }
    await withDiscardingTaskGroup { group in
      for await id in requests {
        // A plugin lists the pages of one scan at a time.
        guard scanning.insert(id).inserted else {
          requestedAgain.insert(id)
          continue
        }
        group.addTask { await self.scanAsRequested(id) }
      }
    }
  }

  /// Ends all scans; none begins any more.
  func shutDown() {
    isShutDown = true
    fullScan?.cancel()
  }

  /// Requests a scan of a player that has started anew.
  func observe(_ snapshot: DeviceSnapshot, of device: any Device) {
    guard device.role.category != nil, snapshot.availability == .available,
      generations[device.id] != snapshot.generation
    else { return }
    generations[device.id] = snapshot.generation
    request.yield(device.id)
  }

  /// Takes the library of a new plan. Players that stay keep their items; players that are new are
  /// scanned when they report, and all players if the folders have changed.
  ///
  /// - Parameter changed: The players that are new, or replaced by other devices.
  func apply(_ library: LibraryPlan, replacing previous: LibraryPlan, changed: [DeviceID]) {
    let players = directory.devices
    catalogue.replaceLibrary(
      library, players: directory.orderedDevices.map(\.id),
      keepingItemsOf: { players[$0]?.role.category == $1 })
    generations = generations.filter { players[$0.key] != nil && !changed.contains($0.key) }
    readPlayers = readPlayers.filter { players[$0] != nil && !changed.contains($0) }
    storedScans = storedScans.filter { players[$0.key] != nil }
    if library.folders != previous.folders {
      for player in generations.keys.sorted() { request.yield(player) }
    }
  }

  /// Scans all players at the same time. A call while such a scan is under way waits for its reports.
  ///
  /// - Returns: One report a player, by the player's name.
  func scanAll() async -> [ScanReport] {
    if let fullScan { return await fullScan.value }
    let players = players
    let scan = Task {
      await withTaskGroup(of: ScanReport?.self) { group in
        for player in players { group.addTask { await self.scan(player) } }
        var reports: [ScanReport] = []
        for await report in group { if let report { reports.append(report) } }
        return reports.sorted { $0.player < $1.player }
      }
    }
    fullScan = scan
    defer { fullScan = nil }
    return await scan.value
  }

  /// Scans all players unless each of them has been scanned.
  func scanUnread() async {
    guard !readPlayers.isSuperset(of: players) else { return }
    _ = await scanAll()
  }

  /// Waits until the catalogues of these categories have been read: for at most `longestWait` while the library runs;
  /// otherwise it reads them itself.
  func read(_ categories: some Collection<Category> & Sendable) async {
    guard isRunning else { return await scanUnread() }
    for category in categories { await waitForCatalogues(of: category) }
  }

  /// The players of a category that have started, and whose catalogue has not been read yet.
  func unreadPlayers(of category: Category) -> [DeviceID] {
    guard isRunning else { return [] }
    return directory.devices.values.filter { player in
      guard player.role.category == category else { return false }
      if case .unavailable? = directory.snapshot(of: player.id)?.availability { return false }
      return !readPlayers.contains(player.id)
        || scanning.contains(player.id) && storedScans[player.id] == nil
    }.map(\.id).sorted()
  }

  /// Waits until the catalogues of all players of a category have been read, for at most `longestWait`.
  func waitForCatalogues(of category: Category) async {
    guard !unreadPlayers(of: category).isEmpty else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.waitUntilRead(category) }
      group.addTask { [clock] in try? await clock.sleep(for: Self.longestWait) }
      await group.next()
      group.cancelAll()
    }
  }

  private func waitUntilRead(_ category: Category) async {
    let (ends, end) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    waitCount += 1
    let number = waitCount
    waiting[number] = end
    defer { waiting[number] = nil }
    end.yield()
    for await _ in ends where unreadPlayers(of: category).isEmpty { return }
  }

  private var players: [DeviceID] {
    directory.devices.values.filter { $0.role.category != nil }.map(\.id)
  }

  /// Reads a player's discs and each folder of the library. A player of which nothing can be read
  /// keeps its previous catalogue, and a scan that ends after a newer one does not replace its items.
  ///
  /// - Returns: `nil` if there is no such player.
  private func scan(_ id: DeviceID) async -> ScanReport? {
    guard !isShutDown, let player = directory[id], let category = player.role.category else {
      return nil
    }
    let media = player.facet((any MediaSource).self)
    scanCount += 1
    let number = scanCount
    var items: [CatalogueItem] = []
    var seen: Set<UTF8Key> = []
    var budget = CatalogueBudget()
    var problems: [ScanReport.Problem] = []
    var leftOut = CatalogueListing([])
    let sources = [nil] + directory.plan.library.folders.map { Optional($0.path) }
    var failures = 0
    scan: for folder in sources {
      do {
        let listing = try await media?.listCatalogue(folder: folder) ?? CatalogueListing([])
        leftOut.append(leftOut: listing.leftOut, count: listing.leftOutCount)
        for item in listing.items
        where seen.insert(UTF8Key(item.id)).inserted {
          guard budget.admit(item) else {
            let message =
              "its catalogue has more than \(CatalogueBudget.items) items or "
              + "\(CatalogueBudget.bytes) bytes; the first \(items.count) items are kept"
            log("\(id): \(message)")
            problems.append(ScanReport.Problem(folder: folder, message: message))
            break scan
          }
          items.append(item)
        }
      } catch {
        guard !isShutDown, !Task.isCancelled else { return nil }
        failures += 1
        log("\(id): reading \(folder ?? "its discs"): \(error.message)")
        problems.append(
          ScanReport.Problem(folder: folder, message: error.message, hint: error.hint))
      }
    }
    if directory.contains(player) { readPlayers.insert(id) }
    if failures < sources.count { store(items, of: player, fromScan: number) }
    for wait in waiting.values { wait.yield() }
    return ScanReport(
      player: id, category: category, items: items.count, problems: problems,
      leftOut: leftOut.leftOut, leftOutCount: leftOut.leftOutCount)
  }

  /// Scans a player, and again if that was requested meanwhile.
  private func scanAsRequested(_ id: DeviceID) async {
    repeat {
      requestedAgain.remove(id)
      _ = await scan(id)
    } while requestedAgain.contains(id) && !Task.isCancelled && !isShutDown
    scanning.remove(id)
    for wait in waiting.values { wait.yield() }
  }

  /// Replaces the items of a player in the catalogue, unless the player is gone or a newer scan has done so.
  private func store(_ items: [CatalogueItem], of player: any Device, fromScan number: Int) {
    guard directory.contains(player), storedScans[player.id, default: 0] < number else { return }
    storedScans[player.id] = number
    let before = catalogue.count
    catalogue.setItems(items, of: player.id, role: player.role)
    if before - catalogue.count >= Self.largeCatalogue { returnFreeMemory() }
    events.publish(.other(.library, ["player": .string(player.id.name)]))
  }
}
