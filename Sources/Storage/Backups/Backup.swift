import Foundation

/// A copy of everything that the state folder holds of accounts and positions: a folder with the
/// database and the files that belong to it.
package struct Backup: Sendable, Hashable {
  /// Why it was made; the end of its name.
  package enum Reason: Sendable, Hashable {
    /// Somebody asked: kept for good.
    case asked
    /// A day has passed.
    case daily
    /// A newer version of the program is about to change the tables; its first new step.
    case before(Int)
    /// Another backup took its place; what it holds may be damaged.
    case replaced

    var word: String {
      switch self {
      case .asked: "asked"
      case .daily: "daily"
      case .before(let step): "before-\(step)"
      case .replaced: "replaced"
      }
    }

    fileprivate init?(word: Substring) {
      switch word {
      case "asked": self = .asked
      case "daily": self = .daily
      case "replaced": self = .replaced
      default:
        guard word.hasPrefix("before-"), let step = Int(word.dropFirst(7)) else { return nil }
        self = .before(step)
      }
    }
  }

  /// The folder.
  package let path: String
  /// When it was made, to the second; nil for a folder that was not named here.
  package let madeAt: Date?
  package let reason: Reason?

  /// The name of the folder: `20261121T123000Z-daily`.
  package var name: String { String(path.split(separator: "/").last ?? "") }

  /// The copied database.
  var database: String { "\(path)/\(TheaterDatabase.fileName)" }

  /// Takes the folder at `path`, whatever is in it.
  package init(at path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let parts = path.split(separator: "/").last?.split(separator: "-", maxSplits: 1) ?? []
    madeAt = parts.first.flatMap { try? Date(String($0), strategy: Self.stamp) }
    reason = parts.dropFirst().first.flatMap { word in
      // A second one in a second ends in `.2`.
      word.split(separator: ".").first.flatMap(Reason.init(word:))
    }
  }

  /// The name of a backup that is made at `date`.
  static func name(_ reason: Reason, at date: Date) -> String {
    "\(date.formatted(stamp))-\(reason.word)"
  }

  /// ISO 8601, basic format, UTC.
  private static let stamp = Date.ISO8601FormatStyle(
    dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted)
}
