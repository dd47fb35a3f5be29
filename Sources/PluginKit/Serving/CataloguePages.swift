import Devices
import JSON
import PluginProtocol

/// The pages of a catalogue, each of which fits into a line of the protocol. Keeps the items that
/// were not requested yet.
struct CataloguePages: Sendable {
  /// The longest page, in bytes of JSON; the rest of the line is the message around it.
  private static let longestPage = ProtocolLimits.longestLine - 4_096

  private var rest: [CatalogueItem] = []
  private var number = 0

  /// Begins a new list and drops the rest of an older one.
  mutating func begin(_ listing: CatalogueListing) -> ScanRequest.Page {
    rest = listing.items
    return nextPage(listing)
  }

  /// Returns the page that `cursor` names; `nil` if it is not the next one.
  mutating func page(at cursor: String) -> ScanRequest.Page? {
    cursor == String(number) && !rest.isEmpty ? nextPage() : nil
  }

  /// - Parameter listing: The list of which this is the first page; `nil` for a later page.
  private mutating func nextPage(_ listing: CatalogueListing? = nil) -> ScanRequest.Page {
    let leftOut = listing?.leftOut ?? []
    var left = leftOut.reduce(Self.longestPage) { $0 - $1.json.text().utf8.count - 1 }
    var items: [CatalogueItem] = []
    var taken = 0
    for item in rest {
      // Skip an item that the controller would refuse, so that it does not spoil the page: its id
      // is too long, or has too many marks in a row.
      guard let item = item.bounded, item.id.isStreamSafe else {
        taken += 1
        continue
      }
      let size = item.json.text().utf8.count + 1
      if size > left { break }
      taken += 1
      items.append(item)
      left -= size
    }
    rest.removeFirst(taken)
    number += 1
    return ScanRequest.Page(
      items, next: rest.isEmpty ? nil : String(number), leftOut: leftOut,
      leftOutCount: listing?.leftOutCount ?? 0)
  }
}
