import Devices
import JSON

/// The result of reading a player's catalogue.
package struct ScanReport: Sendable, Hashable {
  /// Why the player's own discs, or a folder, could not be read.
  package struct Problem: Sendable, Hashable {
    /// The folder of the library; `nil` for the player's own discs.
    package var folder: String?
    package var message: String
    package var hint: String?
  }

  package var player: DeviceID
  package var category: Category
  /// The number of different films, songs or stations found.
  package var items: Int
  /// The folders and discs that it could not read.
  package var problems: [Problem]

  /// The report for the API.
  package var json: JSON {
    let problems = problems.map { problem in
      var object: JSONObject = ["message": .string(problem.message)]
      if let folder = problem.folder { object["folder"] = .string(folder) }
      if let hint = problem.hint { object["hint"] = .string(hint) }
      return JSON.object(object)
    }
    return [
      "player": .string(player.name), "category": .string(category.rawValue),
      "items": .integer(items), "problems": .array(problems),
    ]
  }
}

extension HomeTheaterFacade {
  /// Reads every player's catalogue again, all players at once; a call while this is under way waits
  /// for the same reports.
  ///
  /// - Returns: A report a player, by its name.
  @discardableResult
  package func scanLibrary(by principal: Principal) async -> [ScanReport] {
    if let libraryScan { return await libraryScan.value }
    let players = devices.values.filter { $0.role.category != nil }.map(\.id)
    let scan = Task {
      await withTaskGroup(of: ScanReport?.self) { group in
        for player in players { group.addTask { await self.scan(player) } }
        var reports: [ScanReport] = []
        for await report in group { if let report { reports.append(report) } }
        return reports.sorted { $0.player < $1.player }
      }
    }
    libraryScan = scan
    defer { libraryScan = nil }
    return await scan.value
  }

  /// Asks a player what it can play: its own discs, and each folder of the library. A player that
  /// answers nothing keeps the catalogue that it had.
  ///
  /// - Returns: `nil` where there is no such player.
  @discardableResult
  func scan(_ id: DeviceID) async -> ScanReport? {
    guard let player = devices[id], let category = player.role.category else { return nil }
    var items: [CatalogueItem] = []
    var seen: Set<UTF8Key> = []
    var budget = CatalogueBudget()
    var problems: [ScanReport.Problem] = []
    let sources = [nil] + plan.library.folders.map { Optional($0.path) }
    var unread = 0
    scan: for folder in sources {
      do {
        for item in try await player.scanCatalogue(folder: folder)
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
        unread += 1
        log("\(id): reading \(folder ?? "its discs"): \(error.message)")
        problems.append(
          ScanReport.Problem(folder: folder, message: error.message, hint: error.hint))
      }
    }
    if unread < sources.count {
      catalogue.take(items, from: id, role: player.role)
      events.publish(.other(name: "library", ["player": .string(id.name)]))
    }
    return ScanReport(player: id, category: category, items: items.count, problems: problems)
  }
}
