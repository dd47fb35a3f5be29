import CQRCode

/// A QR code (ISO/IEC 18004), made by libqrencode with error correction M: 15 % may be unreadable.
package struct QRCode: Sendable, Hashable {
  /// Modules along one side, without the quiet zone.
  package let size: Int
  private let modules: [Bool]

  /// The width of the light border that the standard requires, in modules.
  package static let quietZone = 4

  /// Encodes a text. Returns nil if it is empty, contains NUL, or has more than 2,331 bytes of
  /// UTF-8.
  package init?(_ text: String) {
    guard !text.utf8.contains(0), let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else {
      return nil
    }
    defer { QRcode_free(code) }
    size = Int(code.pointee.width)
    // The lowest bit of a module says whether it is dark.
    modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
  }

  /// Whether the module is dark; everything outside is light.
  package subscript(x: Int, y: Int) -> Bool {
    guard (0..<size).contains(x), (0..<size).contains(y) else { return false }
    return modules[y * size + x]
  }
}

extension QRCode {
  /// The code for a terminal with a dark background. Each line shows two rows of modules as half
  /// blocks: light modules are drawn, dark ones are left blank. On another background the caller
  /// sets both colours.
  package var lines: [String] {
    let range = -Self.quietZone..<size + Self.quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
      String(
        range.map { x in Self.halfBlock(isUpperDark: self[x, y], isLowerDark: self[x, y + 1]) })
    }
  }

  /// The code as one text for each row of modules: `1` is dark, `0` light. Without the quiet zone.
  package var rows: [String] {
    (0..<size).map { y in String((0..<size).map { x in self[x, y] ? "1" : "0" }) }
  }

  private static func halfBlock(isUpperDark: Bool, isLowerDark: Bool) -> Character {
    switch (isUpperDark, isLowerDark) {
    case (false, false): "█"
    case (false, true): "▀"
    case (true, false): "▄"
    case (true, true): " "
    }
  }

  /// The code as a picture (SVG 1.1), black on white with its quiet zone.
  package var svg: String {
    let side = size + 2 * Self.quietZone
    var path = ""
    for y in 0..<size {
      var x = 0
      while x < size {
        let start = x
        while self[x, y] { x += 1 }
        if x > start {
          path += "M\(start + Self.quietZone) \(y + Self.quietZone)h\(x - start)v1h-\(x - start)z"
        }
        x += 1
      }
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" "
      + "shape-rendering=\"crispEdges\"><rect width=\"\(side)\" height=\"\(side)\" fill=\"#fff\"/>"
      + "<path d=\"\(path)\" fill=\"#000\"/></svg>"
  }
}
