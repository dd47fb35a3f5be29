import Devices
import MediaFolders
import Platform

/// The pictures of a player's items: a file beside the film, otherwise a still of the film; for a song, its cover.
struct ItemPictures: Sendable {
  let library: FilmLibrary
  /// Whether the items are songs. Pictures beside songs are not used.
  let isCD: Bool
  let stills: StillMaker
  /// The cache; nil if there is no folder for it.
  let cache: PictureCache?

  /// Returns the picture of an item; nil if there is none, and for items that are not in a media folder.
  func picture(of item: String) async -> ItemPicture? {
    guard let place = try? await library.locate(item) else { return nil }
    if !isCD {
      let file = try? await library.calls.run(at: place.folder.root) {
        PictureFiles.picture(beside: place)
      }
      if let file { return file }
    }
    let path = place.medium.path
    let key = try? await library.calls.run(at: place.folder.root) {
      path.flatMap { PictureCache.key(of: $0) }
    }
    // mpv's own duration of a recording may be the time of its end on a clock that did not begin at 0.
    let seconds = library.duration(of: item).map { $0 / 10 }
    guard let key,
      case .picture(let picture) = await entry(for: key, of: place.medium, at: seconds)
    else { return nil }
    return picture
  }

  private func entry(
    for key: String, of medium: Medium, at seconds: Double?
  ) async -> PictureCache.Entry? {
    let cache = cache
    if let known = await SystemThread.run(name: "media", { cache?.entry(for: key) }) {
      return known
    }
    guard let new = await stills.still(of: medium, at: isCD ? nil : seconds) else { return nil }
    if let cache { await SystemThread.run(name: "media") { cache.store(new, for: key) } }
    return new
  }
}
