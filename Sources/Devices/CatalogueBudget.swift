/// The room that the catalogue of one player takes at most: 100,000 items and 32 MiB.
public struct CatalogueBudget: Sendable {
  /// The most items.
  public static let items = 100_000
  /// The most bytes, as `CatalogueItem.byteCount` counts them.
  public static let bytes = 32 << 20

  private var itemsLeft = items
  private var bytesLeft = bytes

  public init() {}

  /// Takes room for an item; false, and nothing is taken, when there is not enough.
  public mutating func admit(_ item: CatalogueItem) -> Bool {
    let size = item.byteCount
    guard itemsLeft > 0, size <= bytesLeft else { return false }
    itemsLeft -= 1
    bytesLeft -= size
    return true
  }
}

extension CatalogueItem {
  /// Track numbers that count; lists sort by up to six digits.
  public static let trackRange = 0...999_999
  /// Numbers of channels that count.
  public static let channelRange = 1...64

  /// The bytes of its texts in UTF-8, and 64 for the rest.
  public var byteCount: Int {
    id.utf8.count + title.utf8.count + (artist?.utf8.count ?? 0) + (album?.utf8.count ?? 0)
      + (format?.utf8.count ?? 0) + 64
  }
}
