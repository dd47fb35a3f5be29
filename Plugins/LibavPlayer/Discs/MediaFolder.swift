import Glibc
import JSON

/// A folder that music may be played from; nothing outside it is ever opened.
struct MediaFolder: Equatable, Sendable {
  /// The absolute path, without symbolic links.
  let root: String
  /// With what its items begin: the folder's own name, with more of its path where another media
  /// folder has the same (see ``distinguished(from:)``).
  let name: String

  /// The folder at `path`; throws if there is none.
  init(_ path: String) throws(MediaFailure) {
    guard let real = MediaFolder.realPath(path) else {
      throw MediaFailure(
        .missing, subject: path, detail: MediaFolder.systemText(errno),
        hint: "Is the disk connected and the path right?")
    }
    var status = stat()
    guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw MediaFailure(
        .missing, subject: path, detail: "this is not a folder",
        hint: "A disc is a folder with music files.")
    }
    self.init(root: real, name: Self.names(of: real)[0])
  }

  private init(root: String, name: String) {
    self.root = root
    self.name = name
  }

  /// The same folder with a name that none of `others` has: "Music", else "Music (usb)", then
  /// "Music (media›usb)" and so on.
  func distinguished(from others: [MediaFolder]) -> MediaFolder {
    let taken = others.map(\.name)
    let name = Self.names(of: root).first { !taken.contains($0) }
    return MediaFolder(root: root, name: name ?? "\(self.name) (\(others.count + 1))")
  }

  /// The names that a folder may have, the best first; a slash ends a name, so they have another sign.
  private static func names(of root: String) -> [String] {
    guard root.isStreamSafe else { return ["files"] }
    let parts = root.split(separator: "/").map(String.init)
    guard let own = parts.last else { return ["files"] }
    let above = parts.dropLast()
    return [own]
      + above.indices.reversed().map { "\(own) (\(above[$0...].joined(separator: "›")))" }
  }

  /// The absolute path of a file or folder by its path in here. Symbolic links are followed, as long
  /// as they stay inside.
  func resolve(_ relative: String) throws(MediaFailure) -> String {
    guard !relative.utf8.contains(0) else {
      throw MediaFailure(.missing, subject: "item", detail: "its name holds a zero byte")
    }
    guard let real = MediaFolder.realPath(root + "/" + relative) else {
      throw MediaFailure(
        .missing, subject: relative, detail: MediaFolder.systemText(errno),
        hint: "Read the media folders again: theater library scan")
    }
    guard contains(real) else {
      throw MediaFailure(
        .outside, subject: relative, detail: "it lies outside the media folder",
        hint: "Only files below \(root) are played; links may not lead out of it.")
    }
    return real
  }

  /// The same for a regular file alone: opening a pipe or a device could wait for ever.
  func resolveFile(_ relative: String) throws(MediaFailure) -> String {
    let path = try resolve(relative)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw MediaFailure(.unsupported, subject: relative, detail: "this is not a file")
    }
    return path
  }

  /// What commands call the file at a path below this folder.
  func item(of path: String) -> String { name + "/" + path }

  /// The path below this folder of an item; nil for items of other folders.
  func path(of item: String) -> String? {
    item.hasPrefix(name + "/") ? String(item.dropFirst(name.count + 1)) : nil
  }

  /// Whether an absolute path without symbolic links is this folder or lies below it.
  func contains(_ real: String) -> Bool {
    root == "/" || real == root || real.hasPrefix(root + "/")
  }

  /// The absolute path without links; nil with `errno` set.
  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(validatingCString: real)
  }

  /// The system's sentence for an error number.
  static func systemText(_ number: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
    return MediaText.line(text).lowercased()
  }
}
