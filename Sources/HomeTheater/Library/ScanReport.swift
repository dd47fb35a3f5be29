import Devices
import JSON

/// The result of reading a player's catalogue.
package struct ScanReport: Sendable, Hashable {
  /// The reason why the player's own discs, or a folder, could not be read.
  package struct Problem: Sendable, Hashable {
    /// The folder of the library; `nil` for the player's own discs.
    package var folder: String?
    /// The reason why a folder or file could not be read.
    package var message: String
    /// The next action.
    package var hint: String?
  }

  /// The player that searched its discs and folders.
  package var player: DeviceID
  /// The kind of its items.
  package var category: Category
  /// The number of different films, songs or stations found.
  package var items: Int
  /// The folders and discs that it could not read.
  package var problems: [Problem]
  /// The first of the files that it does not list.
  package var leftOut: [CatalogueListing.LeftOutFile] = []
  /// The number of all files that it does not list.
  package var leftOutCount = 0

  /// `{"player": …, "category": …, "items": …, "problems": [{"message", "folder", "hint"}], "leftOut": [{"file",
  /// "reason", "hint"}], "leftOutCount": …}`.
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
      "leftOut": .array(leftOut.map(\.json)), "leftOutCount": .integer(leftOutCount),
    ]
  }
}
