import MediaFolders

extension FolderWalk {
  /// Walks `folder`, or its subfolder `start`, for music. Only files whose names say nothing are opened, to
  /// read their first bytes.
  init(
    _ folder: MediaFolder, from start: String = "", recursive: Bool = true,
    mostFiles: Int = Self.mostFiles
  ) {
    let music = MediaKind(
      matchesName: { Container(path: $0) != nil },
      matchesContent: { Container.isPossible(path: $0) && FileContent.isMusic($0) })
    self.init(
      folder, kind: music, from: start, recursive: recursive, mostFiles: mostFiles)
  }
}
