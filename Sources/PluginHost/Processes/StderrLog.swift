import JSON

/// The last lines that a plugin wrote to stderr: bounded in number and length, safe to show.
struct StderrLog: Sendable {
  static let longestLine = 500
  static let mostLines = 200

  /// Hides the plugin's secrets.
  let mask: SecretMask
  private var lines: [String] = []
  private var partial: [UInt8] = []
  private var isCut = false

  init(mask: SecretMask = SecretMask()) { self.mask = mask }

  /// Takes what was read and gives back the lines that became complete.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
    var complete: [String] = []
    for byte in bytes {
      if byte == 0x0A {
        complete.append(finishLine())
      } else if partial.count < Self.longestLine + mask.longest {
        partial.append(byte)
      } else {
        isCut = true
      }
    }
    return complete.filter { !$0.isEmpty }
  }

  /// The last lines, oldest first.
  var all: [String] {
    let last = shown(partial, isCut: true)
    return last.isEmpty ? lines : lines + [last]
  }

  /// What may be shown of a line: without secrets, and not too long.
  private func shown(_ line: [UInt8], isCut: Bool) -> String {
    Self.safe(Array(mask.masked(line, isCut: isCut).prefix(Self.longestLine)))
  }

  private mutating func finishLine() -> String {
    defer {
      partial.removeAll(keepingCapacity: true)
      isCut = false
    }
    let isLong = isCut || partial.count > Self.longestLine
    let line = shown(partial, isCut: isCut) + (isLong ? "…" : "")
    guard !line.isEmpty else { return line }
    if lines.count >= Self.mostLines { lines.removeFirst() }
    lines.append(line)
    return line
  }

  /// Escapes what could move a terminal's cursor or colour its screen, and cuts rows of combining
  /// marks, which no JSON text of ours may hold.
  static func safe(_ bytes: [UInt8]) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        text += scalar == "\t" ? " " : "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text.streamSafe
  }
}
