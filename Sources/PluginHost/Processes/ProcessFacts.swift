import Glibc

/// Facts about a process, from `/proc`.
package enum ProcessFacts {
  /// Returns the start time of a process, in clock ticks since boot; `nil` if there is none, or if
  /// it has ended and waits to be reaped. Pid and start time together identify one process.
  package static func startTime(of pid: Int32) -> UInt64? {
    // The name in parentheses may hold spaces and parentheses; fields are counted after the last.
    guard let text = text(of: "/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
      return nil
    }
    let fields = text[text.index(after: end)...].split(separator: " ")
    // proc(5): the state is field 3, the start time field 22.
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return UInt64(fields[19])
  }

  /// Returns the memory of a process in bytes: its proportional share (PSS), or its resident size
  /// if the share cannot be read.
  package static func memory(of pid: Int32) -> Int? {
    if let kilobytes = kilobytes("Pss:", in: "/proc/\(pid)/smaps_rollup") {
      return kilobytes * 1024
    }
    return kilobytes("VmRSS:", in: "/proc/\(pid)/status").map { $0 * 1024 }
  }

  private static func kilobytes(_ label: String, in path: String) -> Int? {
    guard let text = text(of: path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(label) {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        .flatMap { Int($0) }
    }
    return nil
  }

  private static func text(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
