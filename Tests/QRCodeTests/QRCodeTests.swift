import Foundation
import TestSupport
import Testing

@testable import QRCode

@Suite struct QRCodeTests {
  private let text =
    "otpauth://totp/Home%20Theater:anna%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    + "&issuer=Home%20Theater&algorithm=SHA1&digits=6&period=30"

  /// Returns the text that an independent reader (zbar) decodes from a picture of `isDark`.
  private func read(side: Int, _ isDark: (Int, Int) -> Bool) throws -> String {
    let scale = 4
    var image = Data("P5 \(side * scale) \(side * scale) 255\n".utf8)
    for y in 0..<side * scale {
      for x in 0..<side * scale { image.append(isDark(x / scale, y / scale) ? 0 : 255) }
    }
    let folder = try TemporaryFolder()
    let path = try folder.write("code.pgm", Array(image))
    let outcome = try Program.runBlocking("zbarimg", ["--quiet", "--raw", "--nodbus", path])
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  @Test("a QR code drawn in the terminal is read by another program")
  func terminal() throws {
    let lines = try #require(QRCode(text)).lines.map(Array.init)
    let side = try #require(lines.first?.count)
    #expect(lines.allSatisfy { $0.count == side })
    let seen = try read(side: side) { x, y in
      guard y / 2 < lines.count else { return false }
      let block = lines[y / 2][x]
      return block == " " || block == (y % 2 == 0 ? "▄" : "▀")
    }
    #expect(seen == text)
  }

  @Test("the picture holds the same modules, and a quiet zone of four around them")
  func svg() throws {
    let code = try #require(QRCode(text))
    let side = code.size + 8
    #expect(code.svg.contains("viewBox=\"0 0 \(side) \(side)\""))
    var dark: Set<[Int]> = []
    for run in code.svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-\d+z/) {
      let (x, y, length) = (Int(run.1) ?? 0, Int(run.2) ?? 0, Int(run.3) ?? 0)
      for offset in 0..<length { dark.insert([x + offset, y]) }
    }
    for y in -4..<code.size + 4 {
      for x in -4..<code.size + 4 {
        #expect(dark.contains([x + 4, y + 4]) == code[x, y])
      }
    }
    #expect(try read(side: side) { dark.contains([$0, $1]) } == text)
  }

  @Test("encodes text of any script; text that is too long gives no code")
  func limits() throws {
    #expect(QRCode("") == nil)
    #expect(QRCode("a\0b") == nil)
    #expect(QRCode(String(repeating: "x", count: 5_000)) == nil)
    #expect(QRCode(String(repeating: "x", count: 2_331))?.size == 177)
    let code = try #require(QRCode("Größe 🎬"))
    #expect(!code[-1, 0] && !code[0, code.size] && code[0, 0])
  }
}
