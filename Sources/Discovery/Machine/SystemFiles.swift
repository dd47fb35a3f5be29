import Glibc
import JSON
import Platform

/// Short files and folders of the system below a root, which tests replace.
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

  /// The most entries of a folder that are read; hidden ones count.
  private static let mostEntries = 4096

  /// The names in a folder, at most `most` of them, sorted; empty if it cannot be read.
  func names(_ path: String, most: Int = 256) -> [String] {
    FolderEntries(root + path, most: Self.mostEntries).names.prefix(most).sorted()
  }
}

/// The entries of a folder, within bounds; none if it cannot be read.
struct FolderEntries {
  /// The names that are UTF-8 and not hidden, in no order.
  private(set) var names: [String] = []
  /// The number of entries that were read, including those without a name in `names`.
  private(set) var count = 0
  /// Whether the folder has more entries than were read.
  private(set) var isCut = false

  /// - Parameters:
  ///   - most: The most entries that are read. Hidden ones count, because reading them takes as long.
  ///   - deadline: When to stop reading.
  init(_ path: String, most: Int, until deadline: SearchDeadline? = nil) {
    guard let directory = opendir(path) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)
        ) { String(validatingCString: $0) }
      }
      if name == "." || name == ".." { continue }
      guard count < most, deadline?.isOver != true else {
        isCut = true
        return
      }
      count += 1
      if let name, !name.utf8.starts(with: ".".utf8), name.isStreamSafe { names.append(name) }
    }
  }
}
