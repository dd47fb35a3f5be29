import Devices
import JSON

/// The list of items of an activity, from which a person chooses one, page by page.
struct ItemMenu {
  /// What a typed line means.
  enum Choice: Hashable {
    case item(JSON)
    /// A station that is no entry of the list: a frequency.
    case frequency(String)
    case nextPage
    case search(String)
    case back
    case leave
    case unknown
  }

  private let entries: [JSON]
  private let source: MainMenu.ItemSource
  private let pageSize: Int
  private var start = 0

  /// - Parameters:
  ///   - entries: Those of the whole category. Entries of other players are left out.
  ///   - pageSize: The number of rows that are shown at once.
  init(_ entries: [JSON], _ source: MainMenu.ItemSource, pageSize: Int) {
    self.source = source
    self.pageSize = max(1, pageSize)
    self.entries = entries.filter { entry in
      let players = entry["players"]?.array ?? []
      guard let player = source.player, !players.isEmpty else { return true }
      return players.contains(.string(player))
    }
  }

  private var page: ArraySlice<JSON> { entries.dropFirst(start).prefix(pageSize) }

  private var hasMore: Bool { start + pageSize < entries.count }

  /// Shows the next page; after the last one the first.
  mutating func turnPage() { start = hasMore ? start + pageSize : 0 }

  /// The rows of the page, each with where the person stopped the item.
  var text: String {
    guard !entries.isEmpty else { return "There are no \(source.category.rawValue) here." }
    let rows = LibraryText.rows(page.map(\.printable))
    let lines = NumberedLines.lines(rows, from: start + 1)
    let last = start + page.count
    return
      (lines
      + (entries.count > pageSize ? ["  \(start + 1) to \(last) of \(entries.count)"] : []))
      .joined(separator: "\n")
  }

  /// The question below the rows.
  var question: String {
    let more = entries.count > pageSize ? "Enter: more, " : ""
    let frequency = source.category == .stations ? ", or a frequency such as 98.5 FM" : ""
    return "A number (\(more)words: search, b: back, q: leave)\(frequency): "
  }

  /// The meaning of a typed line.
  func choice(_ line: String) -> Choice {
    let text = line.trimmed
    switch text.lowercased() {
    case "q": return .leave
    case "b": return .back
    case "": return entries.count > pageSize ? .nextPage : .unknown
    default: break
    }
    if let number = Int(text) {
      let isEntry = entries.indices.contains(number - 1)
      return isEntry ? .item(entries[number - 1]) : .unknown
    }
    if source.category == .stations, Self.isFrequency(text) { return .frequency(text) }
    // A slash begins words that would be a number or a letter.
    let words = text.hasPrefix("/") ? String(text.dropFirst()).trimmed : text
    return .search(String(words.unicodeScalars.prefix(200).map(Character.init)))
  }

  /// Whether a text has the form of a frequency: `98.5`, `98.5 FM`, `FM 98.5`. The controller judges the number.
  private static func isFrequency(_ text: String) -> Bool {
    var words = text.lowercased().split(separator: " ")
    words.removeAll { $0 == "fm" || $0 == "am" }
    return words.count == 1 && Double(words[0].replacing(",", with: ".")) != nil
  }
}
