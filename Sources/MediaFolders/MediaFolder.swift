import Glibc
import JSON

/// A folder with media. Only files below it are opened; symbolic links may not lead out of it.
package struct MediaFolder: Equatable, Sendable {
  /// The absolute path, without symbolic links.
  package let root: String
  /// The first part of its items' names: the folder's own name, with a part of its path if another
  /// media folder has the same name (see ``FolderNames``).
  package let name: String

  /// Creates a folder with a known root and name.
  package init(root: String, name: String) {
    self.root = root
    self.name = name
  }

  /// Creates a folder that is the only media folder, so that its own name is enough.
  ///
  /// - Throws: `missing` if there is no folder at `path`.
  package init(_ path: String) throws(MediaFailure) {
    root = try Self.root(of: path)
    var names = FolderNames()
    name = names.reserve(for: root)
  }

  /// Returns the absolute path, without links, of the folder at `path`.
  ///
  /// - Throws: `missing` if there is no folder.
  package static func root(of path: String) throws(MediaFailure) -> String {
    guard let real = MediaFolder.realPath(path) else {
      throw MediaFailure(
        .missing, subject: path, detail: MediaFolder.systemText(errno),
        hint: "Is the disk connected and the path right?")
    }
    var status = stat()
    guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw MediaFailure(
        .missing, subject: path, detail: "this is not a folder",
        hint: "Give the path of a folder with media files.")
    }
    return real
  }

  /// Returns the absolute path of a file or folder by its path below this folder.
  ///
  /// - Throws: `missing`, or `outside` if the path or a symbolic link leads out of this folder.
  package func resolve(_ relative: String) throws(MediaFailure) -> String {
    guard !relative.utf8.contains(0) else {
      throw MediaFailure(.missing, subject: "item", detail: "its name holds a zero byte")
    }
    guard let real = MediaFolder.realPath(root + "/" + relative) else {
      throw MediaFailure(
        .missing, subject: relative, detail: MediaFolder.systemText(errno),
        hint: "Scan the library again.")
    }
    guard contains(real) else {
      throw MediaFailure(
        .outside, subject: relative, detail: "it lies outside the media folder",
        hint: "Only files below \(root) are played; links may not lead out of it.")
    }
    return real
  }

  /// Returns the absolute path of a regular file. Other kinds are refused, because opening a pipe or a device can
  /// block for ever.
  ///
  /// - Throws: The errors of `resolve`, and `unsupported` for other kinds of files.
  package func resolveFile(_ relative: String) throws(MediaFailure) -> String {
    let path = try resolve(relative)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw MediaFailure(.unsupported, subject: relative, detail: "this is not a file")
    }
    return path
  }

  /// Returns the item name, as commands use it, of the file at a path below this folder.
  package func item(of path: String) -> String { name + "/" + path }

  /// Returns the path of an item below this folder; nil for items of other folders.
  package func path(of item: String) -> String? {
    Self.rest(of: item, after: name + "/")
  }

  /// Whether an absolute path without symbolic links is this folder or lies below it.
  package func contains(_ real: String) -> Bool {
    root == "/" || Self.rest(of: real, after: root) == ""
      || Self.rest(of: real, after: root + "/") != nil
  }

  /// Returns the text after a prefix; nil without the prefix. Names of files are compared by their
  /// bytes, because names that are equal in Unicode may belong to two files.
  private static func rest(of text: String, after prefix: String) -> String? {
    text.utf8.starts(with: prefix.utf8) ? String(text.utf8.dropFirst(prefix.utf8.count)) : nil
  }

  /// Returns the absolute path without links; nil with `errno` set.
  fileprivate static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let path = String(validatingCString: real)
    // The path is not UTF-8.
    if path == nil { errno = EILSEQ }
    return path
  }

  /// Returns the system's text for an error number.
  package static func systemText(_ number: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
    return MediaText.line(text).lowercased()
  }
}

/// The names of the media folders: "Music", the next one "Music (usb)", then "Music (media›usb)".
///
/// Names are reserved in the order in which folders are first mentioned, also for a folder that is not
/// mounted yet. So no folder's name depends on which disk was connected first.
package struct FolderNames: Sendable {
  private var names: [String: String] = [:]

  /// Creates an empty list of names.
  package init() {}

  /// Returns the name of the folder with this root; reserves one if it has none.
  package mutating func reserve(for root: String) -> String {
    if let name = names[root] { return name }
    let candidates = Self.candidates(for: root)
    let free = candidates.first { !names.values.contains($0) }
    let name = free ?? "\(candidates[0]) (\(names.count + 1))"
    names[root] = name
    return name
  }

  /// Returns the root that the folder at `path` has, or will have when it exists: the path with the
  /// links of its existing part resolved. Reads the disk.
  package static func expectedRoot(of path: String) -> String {
    if let real = MediaFolder.realPath(path) { return real }
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard path.hasPrefix("/"), let last = parts.popLast() else { return path }
    let parent = expectedRoot(of: "/" + parts.joined(separator: "/"))
    return (parent == "/" ? "" : parent) + "/" + last
  }

  /// Returns the possible names of a folder, the preferred one first. "›" replaces the slash, which would end the
  /// name.
  private static func candidates(for root: String) -> [String] {
    guard root.isStreamSafe else { return ["files"] }
    let parts = root.split(separator: "/").map(String.init)
    guard let own = parts.last else { return ["files"] }
    let above = parts.dropLast()
    return [own]
      + above.indices.reversed().map { "\(own) (\(above[$0...].joined(separator: "›")))" }
  }
}
