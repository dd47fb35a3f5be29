import CQRCode

/// A QR code (ISO/IEC 18004), made by libqrencode with error correction M: 15 % may be unreadable.
package struct QRCode: Sendable, Hashable {
  /// Modules along one side, without the quiet zone.
  package let size: Int
  private let modules: [Bool]

  /// Light modules that the standard wants around it.
  package static let quietZone = 4

  /// - Parameter text: up to 2,331 bytes of UTF-8 without NUL; nil where it is empty or longer.
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
