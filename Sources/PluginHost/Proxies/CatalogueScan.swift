import Devices
import PluginProtocol

/// A scan of one catalogue, page by page: it decides which items are kept and when to stop. A value
/// without I/O.
struct CatalogueScan: Sendable {
  /// The kept items, within `CatalogueBudget`.
  var items: [CatalogueItem] { listing.items }
  /// The kept items, and the files that the player leaves out.
  private(set) var listing = CatalogueListing([])
  /// The cursor of the next page; `nil` when there is none.
  private(set) var cursor: String? = ""
  /// The reason why items are missing, for the log; `nil` if none is missing.
  private(set) var fault: String?

  private let began: Duration
  private var pages = 0
  private var refused = 0
  private var budget = CatalogueBudget()

  /// - Parameter now: The time of the request for the first page.
  init(from now: Duration) { began = now }

  /// Adds the requested page.
  mutating func append(_ page: ScanRequest.Page, at now: Duration) {
    pages += 1
    cursor = page.next
    listing.append(leftOut: page.leftOut, count: page.leftOutCount)
    for item in page.items {
      guard let item = item.bounded else {
        refused += 1
        fault =
          "its catalogue is shown without \(refused) of its items: an id has at most "
          + "\(ProtocolLimits.item) bytes"
        continue
      }
      guard budget.admit(item) else {
        return stop(
          "it has more than \(CatalogueBudget.items) items or \(CatalogueBudget.bytes) bytes")
      }
      listing.items.append(item)
    }
    guard let next = page.next else { return }
    if page.items.isEmpty {
      stop("a page that names a next one is empty")
    } else if pages >= ProtocolLimits.cataloguePages {
      stop("it has more than \(ProtocolLimits.cataloguePages) pages")
    } else if next.utf8.count > ProtocolLimits.cursor {
      stop("a cursor has more than \(ProtocolLimits.cursor) bytes")
    } else if now - began >= ProtocolLimits.catalogueTime {
      stop("it takes longer than \(Int(ProtocolLimits.catalogueTime.seconds)) s")
    }
  }

  private mutating func stop(_ why: String) {
    cursor = nil
    fault = "its catalogue is cut after \(items.count) items: \(why)"
  }
}
