import Glibc

/// The memory of code that only the start needs.
///
/// The kernel maps a file's pages in clusters, so after the start most of the program counts as
/// resident, even if it never runs again. A released page that is needed again comes from the page
/// cache within a microsecond.
enum StartUpPages {
  /// Releases every page of code, in read-only mappings of files only.
  static func release() {
    for mapping in codeMappings() {
      madvise(mapping.start, mapping.length, MADV_DONTNEED)
    }
  }

  /// Executable mappings of files; proc(5): `start-end r-xp offset device inode path`.
  private static func codeMappings() -> [(start: UnsafeMutableRawPointer?, length: Int)] {
    guard let text = text(of: "/proc/self/maps") else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard parts.count == 6, parts[1] == "r-xp", parts[5].contains("/") else { return nil }
      let range = parts[0].split(separator: "-")
      guard range.count == 2, let start = UInt(range[0], radix: 16),
        let end = UInt(range[1], radix: 16), end > start
      else { return nil }
      return (UnsafeMutableRawPointer(bitPattern: start), Int(end - start))
    }
  }

  private static func text(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = read(file, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
