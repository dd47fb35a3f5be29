import Glibc
import JSON
import Platform

/// Short files and folders of the system below a root, which a test replaces.
struct SystemFiles: Sendable {
  /// Empty, or the folder that stands for `/`.
  let root: String

  /// The text of a file of at most 64 KiB; `nil` if it cannot be read.
  func text(_ path: String) -> String? {
    guard let bytes = try? RegularFile.read(root + path, atMost: 64 << 10) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text of a file as one line of at most 80 bytes; `nil` if there is none.
  func line(_ path: String) -> String? {
    let line = text(path)?.boundedLine(maximumBytes: 80)
    return line?.isEmpty == true ? nil : line
  }

  /// The names in a folder, at most `most` of them, sorted; empty if it cannot be read.
  func names(_ path: String, most: Int = 256) -> [String] {
    FolderEntries.names(root + path, most: most).sorted()
  }
}

/// Entries of folders.
enum FolderEntries {
  /// The names in a folder that are UTF-8 and not hidden, at most `most`, in no order.
  static func names(_ path: String, most: Int) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < most, let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)
        ) { String(validatingCString: $0) }
      }
      if let name, !name.utf8.starts(with: ".".utf8), name.isStreamSafe { names.append(name) }
    }
    return names
  }
}
