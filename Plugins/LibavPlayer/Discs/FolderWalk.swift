import CLibav  // its headers bring the system's `timespec` along
import Glibc

/// A music file that a walk has found.
struct FoundFile: Equatable, Sendable {
  /// The path below the media folder.
  let path: String
  /// When the file was last written, moved or renamed: seconds since 1970.
  let changed: Double
}

/// Finds the music files of a folder and its subfolders without opening one of them.
struct FolderWalk {
  /// Folders deeper than this are left out.
  static let deepest = 16
  /// A folder with more files than this is cut off with a message.
  static let most = 100_000

  /// What was found, in no order.
  private(set) var files: [FoundFile] = []
  /// What was left out, and why.
  private(set) var skipped: [MediaFailure] = []
  private let folder: MediaFolder

  /// Walks `folder`, or its subfolder `start`.
  init(_ folder: MediaFolder, from start: String = "", recursive: Bool = true) {
    self.folder = folder
    walk(start, depth: recursive ? 0 : FolderWalk.deepest)
  }

  private mutating func walk(_ relative: String, depth: Int) {
    guard let directory = opendir(folder.root + "/" + relative) else {
      skip(relative.isEmpty ? folder.root : relative, MediaFolder.systemText(errno))
      return
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      guard let name = FolderWalk.name(entry) else {
        skip(relative, "a file's name is not UTF-8; rename it")
        continue
      }
      guard !name.hasPrefix(".") else { continue }
      look(at: relative.isEmpty ? name : relative + "/" + name, depth: depth)
    }
  }

  private mutating func look(at path: String, depth: Int) {
    var status = stat()
    guard lstat(folder.root + "/" + path, &status) == 0 else { return }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    if isLink {
      // A link to a folder would show its files twice, or never end.
      guard AudioFileKind(path: path) != nil else { return }
      do {
        guard try stat(folder.resolve(path), &status) == 0 else { return }
      } catch {
        skipped.append(error)
        return
      }
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR where !isLink && depth < FolderWalk.deepest:
      walk(path, depth: depth + 1)
    case S_IFREG where AudioFileKind(path: path) != nil:
      guard files.count < FolderWalk.most else {
        if files.count == FolderWalk.most, skipped.last?.subject != folder.root {
          skip(folder.root, "only the first \(FolderWalk.most) files are shown")
        }
        return
      }
      files.append(FoundFile(path: path, changed: FolderWalk.changed(status)))
    default: break
    }
  }

  private mutating func skip(_ subject: String, _ detail: String) {
    skipped.append(MediaFailure(.unreachable, subject: subject, detail: detail))
  }

  /// Copying keeps the time of writing, so the time of the last change of name or place counts too.
  private static func changed(_ status: stat) -> Double {
    func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
    return max(seconds(status.st_mtim), seconds(status.st_ctim))
  }

  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String? {
    withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
        String(validatingCString: $0)
      }
    }
  }
}
