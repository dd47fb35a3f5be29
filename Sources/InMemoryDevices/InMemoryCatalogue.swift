import Devices

/// The items of a player or tuner in memory. It has none in folders, and no pictures.
struct InMemoryCatalogue: MediaSource {
  /// The films, songs or stations of the player itself.
  let items: [CatalogueItem]

  func listCatalogue(folder: String?) -> CatalogueListing {
    CatalogueListing(folder == nil ? items : [])
  }

  func picture(of item: String) -> ItemPicture? { nil }
}
