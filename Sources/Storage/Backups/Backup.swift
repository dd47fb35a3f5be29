import Foundation

/// A backup of accounts and positions: a folder with the database and its companion files.
package struct Backup: Sendable, Hashable {
  /// The reason for the backup; the end of its name.
  package enum Reason: Sendable, Hashable {
    /// By request; never deleted.
    case asked
    /// The daily backup.
    case daily
    /// Before a newer version of the program changes the tables; its first new step.
    case before(Int)
    /// The database that a restored backup replaced; it may be damaged.
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
  /// When it was made, to the second; nil for a folder with another kind of name.
  package let madeAt: Date?
  /// The reason in the folder's name; nil for another kind of name.
  package let reason: Reason?

  /// The name of the folder: `20261121T123000Z-daily`.
  package var name: String { String(path.split(separator: "/").last ?? "") }

  /// The copied database.
  var database: String { "\(path)/\(TheaterDatabase.fileName)" }

  /// Refers to the folder at `path` without reading it.
  package init(at path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let parts = path.split(separator: "/").last?.split(separator: "-", maxSplits: 1) ?? []
    madeAt = parts.first.flatMap { try? Date(String($0), strategy: Self.stamp) }
    reason = parts.dropFirst().first.flatMap { word in
      // The second backup in one second ends in `.2`.
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
