import Crypto
import Devices
import Glibc
import JSON
import Platform

/// A cache of pictures in a folder, so that each picture is made only once. When the cache is full, the oldest pictures
/// are removed.
///
/// The name of a file is a hash, so it does not reveal the film. If the folder cannot be written, the cache stays
/// empty. All methods read or write the disk and block.
struct PictureCache: Sendable {
  /// The entry of a medium in the cache.
  enum Entry: Equatable, Sendable {
    case picture(ItemPicture)
    /// mpv found no picture in the medium.
    case noPicture
    /// mpv crashed or hung when it read the medium.
    case failed

    /// The content of the file.
    fileprivate var bytes: [UInt8] {
      switch self {
      case .picture(let picture): picture.bytes
      case .noPicture: []
      case .failed: Array("failed".utf8)
      }
    }

    /// The lifetime in seconds.
    fileprivate var lifetime: Int {
      switch self {
      case .picture: .max
      case .noPicture: 86_400
      case .failed: 600
      }
    }
  }

  /// The smallest size that a file counts, in bytes: a block of the disk.
  private static let smallestFile = 4096
  /// The largest number of files of the folder that are considered for removal.
  private static let mostFiles = 100_000

  /// The absolute path of the folder. It is made when the first picture is stored.
  let folder: String
  /// The largest total size of all files, in bytes.
  var mostBytes = 64 << 20

  /// Returns the key of the file or folder at a path; nil if there is none. The key depends on the path, the size and
  /// the time of the last change.
  static func key(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let time = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    return Hexadecimal.text(
      SHA256.hash(data: Array("2 \(status.st_size) \(time) \(path)".utf8)))
  }

  /// Returns the entry of a key; nil if there is none, or if it is older than a day (`noPicture`) or ten minutes
  /// (`failed`).
  func entry(for key: String) -> Entry? {
    let path = "\(folder)/\(key)"
    guard let bytes = try? RegularFile.read(path, atMost: ItemPicture.mostBytes) else { return nil }
    if let picture = ItemPicture(bytes) { return .picture(picture) }
    var status = stat()
    guard let entry = [Entry.noPicture, .failed].first(where: { $0.bytes == bytes }),
      stat(path, &status) == 0,
      (0..<entry.lifetime).contains(Glibc.time(nil) - status.st_mtim.tv_sec)
    else { return nil }
    return entry
  }

  /// Stores an entry.
  func store(_ entry: Entry, for key: String) {
    makeFolder()
    // The file gets its name when it is complete, because another process may read it at any time.
    let draft = "\(folder)/.\(key).\(getpid())"
    guard Self.write(entry.bytes, to: draft) else { return }
    guard rename(draft, "\(folder)/\(key)") == 0 else {
      unlink(draft)
      return
    }
    removeOldest()
  }

  private func makeFolder() {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/" + part
      // The result does not matter: most of these folders already exist.
      mkdir(path, 0o700)
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        unlink(path)
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Removes the oldest files until the others have at most ``mostBytes``.
  private func removeOldest() {
    let files = files().sorted { $0.time < $1.time }
    var total = files.reduce(0) { $0 + $1.bytes }
    for file in files where total > mostBytes {
      unlink(file.path)
      total -= file.bytes
    }
  }

  /// Returns the files of the folder with the times of their last change, in nanoseconds.
  private func files() -> [(path: String, bytes: Int, time: Int)] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var files: [(path: String, bytes: Int, time: Int)] = []
    while files.count < Self.mostFiles, let entry = readdir(directory) {
      guard let name = Self.name(entry) else { continue }
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      let time = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
      files.append((path, max(Int(status.st_size), Self.smallestFile), time))
    }
    return files
  }

  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String? {
    withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
        String(validatingCString: $0)
      }
    }
  }
}
