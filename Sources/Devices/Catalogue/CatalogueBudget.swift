/// The largest catalogue of one player: 100,000 items and 32 MiB.
public struct CatalogueBudget: Sendable {
  /// Highest number of items.
  public static let items = 100_000
  /// Highest number of bytes, as `CatalogueItem.byteCount` counts them.
  public static let bytes = 32 << 20

  private var itemsLeft = items
  private var bytesLeft = bytes

  /// The whole budget.
  public init() {}

  /// Takes an item from the budget. Returns false, and takes nothing, if it does not fit.
  public mutating func admit(_ item: CatalogueItem) -> Bool {
    let size = item.byteCount
    guard itemsLeft > 0, size <= bytesLeft else { return false }
    itemsLeft -= 1
    bytesLeft -= size
    return true
  }
}

extension CatalogueItem {
  /// The longest id, in bytes of UTF-8: the longest path of Linux. Schemas, which count code points, take as many of
  /// those.
  public static let longestID = 4096
  /// Valid track numbers; lists sort by up to six digits.
  public static let trackRange = 0...999_999
  /// Valid numbers of channels.
  public static let channelRange = 1...64

  /// The size in bytes: its texts in UTF-8, and 64 for the rest.
  public var byteCount: Int {
    id.utf8.count + title.utf8.count + (artist?.utf8.count ?? 0) + (album?.utf8.count ?? 0)
      + (format?.utf8.count ?? 0) + 64
  }
}
