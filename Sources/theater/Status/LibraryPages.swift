import Devices
import JSON
import TheaterAPI

extension RemoteTheater {
  /// Returns a whole list of the library, page by page, in the form of one page: `{"songs": […], "total": …}`.
  ///
  /// - Parameter search: The words that each entry must have; empty for all entries.
  func library(_ category: Devices.Category, search: String = "") async throws -> JSON {
    let list = category.rawValue
    let most = LibraryPages.limits.upperBound
    var entries: [JSON] = []
    while true {
      let page = try await get(
        "\(category.endpoint.path())?offset=\(entries.count)&limit=\(most)"
          + (search.isEmpty ? "" : "&search=\(PercentEncoding.encode(search))"))
      let next = page[list]?.array ?? []
      entries += next
      let total = page["total"]?.integer ?? 0
      // The list may become shorter meanwhile.
      guard !next.isEmpty, entries.count < total else {
        return [list: .array(entries), "total": .integer(total)]
      }
    }
  }
}
