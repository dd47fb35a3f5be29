import Glibc

/// The inotify watches of one resolution of a path: of every folder in which a change can make the path
/// lead to another file.
struct FolderWatches: Sendable {
  /// The inotify instance: readable after changes in the folders.
  let descriptor: Int32
  /// The names that matter in each folder, by watch.
  private let names: [Int32: Set<String>]

  /// Changes of the entries of a folder, and of the folder itself. `IN_CLOSE_WRITE` instead of
  /// `IN_MODIFY`: a file that is being written is not complete.
  private static let folderEvents = UInt32(
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
  /// Changes of a folder that only leads to others. Entries that come and go there cause no event.
  private static let ancestorEvents = UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR)

  /// Watches the folders through which the path leads now.
  init(for path: String) throws(SystemError) {
    while true {
      let route = PathRoute(path)
      let watches = try FolderWatches(route)
      // Changes before the watches were set have caused no event.
      if PathRoute(path) == route {
        self = watches
        return
      }
      watches.close()
    }
  }

  private init(_ route: PathRoute) throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError(errno) }
    var names: [Int32: Set<String>] = [:]
    for (folder, entries) in route.names {
      let watch = inotify_add_watch(descriptor, folder, Self.folderEvents)
      // The comparison of routes notices a folder that is gone.
      guard watch >= 0 || errno == ENOENT || errno == ENOTDIR else {
        let error = SystemError(errno)
        Glibc.close(descriptor)
        throw error
      }
      names[watch, default: []].formUnion(entries)
    }
    for folder in route.ancestors {
      // A folder that this user may not read cannot be watched; the others still are.
      _ = inotify_add_watch(descriptor, folder, Self.ancestorEvents | UInt32(IN_MASK_ADD))
    }
    self.names = names
  }

  /// Removes all watches.
  func close() { _ = Glibc.close(descriptor) }

  /// Reads all waiting events.
  ///
  /// - Returns: Whether one of them concerns the path.
  func readChanges() -> Bool {
    var isChanged = false
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return isChanged }
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= count {
          let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = bytes[(offset + header)..<min(offset + header + Int(event.len), count)]
          if concernsPath(event, String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)) {
            isChanged = true
          }
          offset += header + Int(event.len)
        }
      }
    }
  }

  /// Returns whether an event concerns a watched name or a folder itself. After an overflow of the
  /// kernel's queue anything may have changed.
  private func concernsPath(_ event: inotify_event, _ name: String) -> Bool {
    let ofFolder = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_Q_OVERFLOW)
    return event.mask & ofFolder != 0 || names[event.wd]?.contains(name) == true
  }
}

/// The folders through which a path leads, with every symbolic link resolved.
private struct PathRoute: Hashable {
  /// The folders with an entry that decides where the path leads, with the names of these entries: the
  /// links, the file, or the first name that does not exist.
  private(set) var names: [String: Set<String>] = [:]
  /// The other folders on the way.
  private(set) var ancestors: Set<String> = []

  /// The most links that the kernel follows (path_resolution(7)).
  private static let mostLinks = 40

  init(_ path: String) {
    var folder = "/"
    var rest = Self.parts((path.hasPrefix("/") ? "" : Self.presentFolder + "/") + path)
    var links = 0
    while let name = rest.popFirst() {
      if name == ".." {
        folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
        if folder.isEmpty { folder = "/" }
        continue
      }
      let place = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      var facts = stat()
      let exists = lstat(place, &facts) == 0
      if exists, facts.st_mode & S_IFMT == S_IFLNK, links < Self.mostLinks {
        links += 1
        names[folder, default: []].insert(name)
        let target = Self.target(ofLink: place)
        if target.hasPrefix("/") { folder = "/" }
        rest = Self.parts(target) + rest
      } else if exists, facts.st_mode & S_IFMT == S_IFDIR, !rest.isEmpty {
        ancestors.insert(folder)
        folder = place
      } else {
        names[folder, default: []].insert(name)
        return
      }
    }
  }

  /// The parts of a path, without empty ones and `.`.
  private static func parts(_ path: String) -> ArraySlice<String> {
    path.split(separator: "/").filter { $0 != "." }.map(String.init)[...]
  }

  private static var presentFolder: String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let isKnown = buffer.withUnsafeMutableBytes {
      getcwd($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) != nil
    }
    return isKnown ? String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self) : "/"
  }

  private static func target(ofLink path: String) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes {
      guard let start = $0.baseAddress?.assumingMemoryBound(to: CChar.self) else { return -1 }
      return readlink(path, start, $0.count)
    }
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
