import JSON
import PluginProtocol

/// The last lines that a plugin wrote to stderr: bounded in number and length, and without secrets.
struct StderrLog: Sendable {
  private static let longestLine = ProtocolLimits.stderrLine

  /// Hides the plugin's secrets.
  let mask: ProcessSecretMask
  private var lines: [String] = []
  private var partial: [UInt8] = []
  private var isCut = false

  init(mask: ProcessSecretMask = ProcessSecretMask()) { self.mask = mask }

  /// Appends bytes of stderr and returns the lines that they complete.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
    var complete: [String] = []
    let longest = Self.longestLine + mask.current.longest
    for byte in bytes {
      if byte == 0x0A {
        complete.append(finishLine())
      } else if partial.count < longest {
        partial.append(byte)
      } else {
        isCut = true
      }
    }
    return complete.filter { !$0.isEmpty }
  }

  /// The last lines, oldest first.
  var all: [String] {
    let last = shown(partial, isWhole: false)
    return last.isEmpty ? lines : lines + [last]
  }

  /// Returns the line without secrets, and cut to the longest length.
  ///
  /// - Parameter isWhole: Whether these bytes are the whole line.
  private func shown(_ line: [UInt8], isWhole: Bool) -> String {
    let text = String(decoding: mask.current.masked(line, isCut: !isWhole), as: UTF8.self)
    return (isCut ? text + "…" : text).boundedLine(maximumBytes: Self.longestLine)
  }

  private mutating func finishLine() -> String {
    defer {
      partial.removeAll(keepingCapacity: true)
      isCut = false
    }
    let line = shown(partial, isWhole: !isCut)
    guard !line.isEmpty else { return line }
    if lines.count >= ProtocolLimits.stderrLines { lines.removeFirst() }
    lines.append(line)
    return line
  }
}
