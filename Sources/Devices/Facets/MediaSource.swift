/// The catalogue of a player or tuner.
public protocol MediaSource: Sendable {
  /// Returns the items that the player can play, from its discs or from `folder`, and the files that it
  /// leaves out.
  ///
  /// - Parameter folder: An absolute path; `nil` for the player's own discs.
  func listCatalogue(folder: String?) async throws(DeviceError) -> CatalogueListing

  /// Returns the picture of an item that the player can play; `nil` if there is none.
  ///
  /// Runs beside commands. It may take 30 s, because a player may have to make the picture.
  ///
  /// - Parameter item: The id of a catalogue item whose `hasPicture` is true.
  func picture(of item: String) async throws(DeviceError) -> ItemPicture?
}
