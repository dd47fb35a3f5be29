import Foundation
import JSON

/// A hostile text of `Tests/Fixtures/stored-payloads.json`: every place that stores texts keeps it as it is,
/// or refuses it.
public struct StoredPayload: Sendable {
  /// `script tag`, `url`, …
  public let kind: String
  public let text: String

  /// All texts, in the order of the file.
  public static func all() throws -> [StoredPayload] {
    let file = Program.project.appending(path: "Tests/Fixtures/stored-payloads.json")
    let rows = try JSON(parsing: [UInt8](Data(contentsOf: file))).array ?? []
    return rows.compactMap { row in
      guard let kind = row["kind"]?.string, let text = row["text"]?.string else { return nil }
      return StoredPayload(kind: kind, text: text)
    }
  }
}
