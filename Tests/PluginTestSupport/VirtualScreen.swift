import Foundation
import Synchronization
import TestSupport

/// An X server without a screen (Xvfb), whose picture is in a file.
public final class VirtualScreen: Sendable {
  /// A colour; each part is 0 to 255.
  public struct Color: Equatable, Sendable {
    let red, green, blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Whether each part differs by less than 40 from that of `other`, because decoding rounds.
    func isNear(_ other: Color) -> Bool {
      zip([red, green, blue], [other.red, other.green, other.blue])
        .allSatisfy { abs(Int($0) - Int($1)) < 40 }
    }
  }

  public static let size = (width: 640, height: 360)
  /// The value for `DISPLAY`, such as `:1`.
  public let display: String
  private let server: RunningProgram
  private let folder: TemporaryFolder

  public init() throws {
    folder = try TemporaryFolder()
    (server, display) = try Self.start(picturesIn: folder.path)
  }

  /// The number of the next display. A number is never used again: the program that waits for an ended display
  /// must not find that of another test.
  private static let number = Mutex(20)

  private static func start(picturesIn folder: String) throws -> (RunningProgram, String) {
    while true {
      let number = number.withLock {
        $0 += 1
        return $0
      }
      let display = ":\(number)"
      let server = try RunningProgram(
        "Xvfb",
        [
          display, "-displayfd", "1", "-screen", "0", "\(size.width)x\(size.height)x24",
          "-nolisten", "tcp", "-noreset", "-fbdir", folder,
        ])
      do {
        _ = try server.line()
        return (server, display)
      } catch {
        // Another program has this display.
        server.end()
        guard number < 200 else { throw error }
      }
    }
  }

  /// Ends the server.
  public func end() { server.end() }

  /// Returns the colour of a pixel from the server's file in the format XWD; nil if the file cannot
  /// be read.
  public func color(x: Int, y: Int) -> Color? {
    guard let data = FileManager.default.contents(atPath: folder.path(of: "Xvfb_screen0")),
      data.count > 100
    else { return nil }
    func number(_ index: Int) -> Int {
      data[(4 * index)..<(4 * index + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    let offset = number(0) + number(19) * 12 + y * number(12) + x * 4
    guard offset + 3 < data.count else { return nil }
    return Color(red: data[offset + 2], green: data[offset + 1], blue: data[offset])
  }

  /// Whether the middle and the corners of the screen have this colour.
  public func shows(_ color: Color) -> Bool {
    let (width, height) = Self.size
    return [(width / 2, height / 2), (4, 4), (width - 5, height - 5)].allSatisfy {
      self.color(x: $0.0, y: $0.1)?.isNear(color) == true
    }
  }
}
