import Devices
import MediaFolders
import MediaNames
import Platform

/// The picture files beside a film: `FILM.jpg`. If the film is the only one of its folder, or is a DVD folder, also
/// `poster.jpg`, `folder.jpg` and `cover.jpg`.
enum PictureFiles {
  private static let names = ["poster", "folder", "cover"]
  private static let endings = ["jpg", "jpeg", "png", "webp"]

  /// Returns the first usable picture beside a film; nil if there is none. Skips files above
  /// ``ItemPicture/mostBytes``, files of other formats and links out of the media folder. Reads the disk and blocks.
  static func picture(beside film: LocatedMedium) -> ItemPicture? {
    for path in paths(beside: film) {
      if let file = try? film.folder.resolveFile(path),
        let bytes = try? RegularFile.read(file, atMost: ItemPicture.mostBytes),
        let picture = ItemPicture(bytes)
      {
        return picture
      }
    }
    return nil
  }

  /// Returns the paths below the media folder at which a picture of the film may be, the preferred one first.
  private static func paths(beside film: LocatedMedium) -> [String] {
    let path = film.path
    // Not a file: the film is a DVD folder.
    guard (try? film.folder.resolveFile(path)) != nil else {
      return files([path]) + files(names.map { path + "/" + $0 })
    }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    let own = files([path.lastIndex(of: ".").map { String(path[..<$0]) } ?? path])
    let films = FolderWalk(
      film.folder, kind: MediaFiles.filmKind, from: parent, recursive: false, mostFiles: 10
    ).files.map(\.path)
    let further = FilmPart.groups(of: films).values.reduce(0) { $0 + $1.count }
    guard films.count - further == 1 else { return own }
    return own + files(names.map { parent.isEmpty ? $0 : parent + "/" + $0 })
  }

  private static func files(_ stems: [String]) -> [String] {
    stems.flatMap { stem in endings.map { stem + "." + $0 } }
  }
}
