import Glibc

/// What tells that a file has changed: its size, its time, its number.
struct FileStamp: Sendable, Hashable {
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  private let number: UInt

  /// `nil` for a file that does not exist.
  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    size = Int(facts.st_size)
    seconds = facts.st_mtim.tv_sec
    nanoseconds = facts.st_mtim.tv_nsec
    number = UInt(facts.st_ino)
  }

  /// The stamps of a plugin's manifest and program, as far as they exist.
  static func stamps(of plugin: CataloguedPlugin) -> [FileStamp] {
    [plugin.manifestPath, plugin.program].compactMap { FileStamp($0) }
  }
}
