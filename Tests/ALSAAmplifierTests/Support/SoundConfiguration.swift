import Foundation

/// libasound's configuration for this test process: PCMs that need no hardware, parametrised, so
/// that each test writes to a file of its own.
enum SoundConfiguration {
  /// Set once, before the first call into libasound.
  static let isReady: Bool = {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("asound-\(UUID().uuidString).conf").path
    let text = """
      </usr/share/alsa/alsa.conf>
      pcm.capture {
        @args [ FILE ]
        @args.FILE { type string }
        type file
        slave.pcm "null"
        file $FILE
        format "raw"
      }

      """
    do { try text.write(toFile: path, atomically: true, encoding: .utf8) } catch { return false }
    return setenv("ALSA_CONFIG_PATH", path, 1) == 0
  }()

  /// The name of a PCM that writes raw frames to `file`.
  static func capture(to file: String) -> String { "capture:FILE=\(file)" }
}
