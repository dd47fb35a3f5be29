import Devices
import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import MpvPlayer

/// Films that break off, and whole films whose headers are wrong, played by a real mpv.
@Suite("MpvPlayer: films that break off", .realTime, .timeLimit(.minutes(5)))
struct BrokenFilmTests {
  /// The length of the films in seconds.
  private static let length = 16.0
  private static let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
  private static let films: [(name: String, arguments: [String])] = [
    ("a.mkv", x264 + ["-c:a", "flac"]), ("end.mp4", x264 + ["-c:a", "aac"]),
    ("a.mp4", x264 + ["-c:a", "aac", "-movflags", "+faststart"]),
    ("a.avi", ["-c:v", "mpeg4", "-c:a", "mp3"]),
    ("a.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis"]),
    ("a.wmv", ["-c:v", "wmv2", "-c:a", "wmav2"]), ("a.flv", x264 + ["-c:a", "aac"]),
    ("a.ts", x264 + ["-c:a", "aac"]), ("a.mpg", ["-c:v", "mpeg2video", "-c:a", "mp2"]),
  ]

  private static let folder = Result {
    let folder = try TemporaryFolder()
    for (name, arguments) in films {
      try TestFilms.ffmpeg(
        [
          "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=16", "-f", "lavfi", "-i",
          "sine=440:r=48000:d=16", "-g", "25",
        ] + arguments + [try folder.file("films/\(name)")])
    }
    return folder
  }

  /// Writes a changed copy of a film into a folder, and returns its id.
  private static func copy(
    _ name: String, to folder: TemporaryFolder, as copy: String,
    _ change: (inout [UInt8]) throws -> Void
  ) throws -> String {
    let path = try Self.folder.get().path(of: "films/\(name)")
    var bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    try change(&bytes)
    try folder.write("films/\(copy)", bytes)
    return "films/\(copy)"
  }

  private static func bench(_ folder: TemporaryFolder) async throws -> PlayerBench {
    try await PlayerBench(.dvdPlayer, ["folders": [.string(folder.path(of: "films"))]])
  }

  /// Plays a film from shortly before an end, and returns its last report.
  private static func end(
    of item: String, from seconds: Double, with player: PlayerBench
  ) async throws -> Playback {
    // A film whose headers are cut off cannot be opened.
    _ = await player.refusal(of: ["play": ["item": .string(item), "position": .number(seconds)]])
    try await player.wait("\(item) ends") {
      $0.playback?.item == item && [.ended, .failed].contains($0.playback?.status)
    }
    return try #require(player.playback)
  }

  @Test(
    "a film of which a part is missing fails, with position and reason, if it declares its length",
    arguments: films.map(\.name), [30, 60, 99])
  func cut(name: String, part: Int) async throws {
    let folder = try TemporaryFolder()
    let item = try Self.copy(name, to: folder, as: name) {
      $0.removeLast($0.count - $0.count * part / 100)
    }
    let player = try await Self.bench(folder)
    let place = Self.length * Double(part) / 100
    let last = try await Self.end(of: item, from: max(0, place - 2.5), with: player)
    // Nothing declares the duration of a transport stream or of MPEG.
    let isDeclared = !name.hasSuffix(".ts") && !name.hasSuffix(".mpg")
    #expect(last.status == (isDeclared ? .failed : .ended), "\(last)")
    if isDeclared {
      #expect(last.reason?.isEmpty == false)
      if name != "end.mp4" { #expect(abs(last.position - place) < 3, "\(last)") }
    }
    await player.end()
  }

  @Test("whole films with wrong headers end", arguments: 0..<8)
  func wrongHeaders(fault: Int) async throws {
    /// Multiplies a number after a text by 3.
    func triple(
      _ text: String, _ offset: Int, _ count: Int, isBig: Bool, in bytes: inout [UInt8]
    ) throws {
      let place = try #require(bytes.firstRange(of: Array(text.utf8))?.lowerBound)
      let range = (place + offset)..<(place + offset + count)
      let digits = isBig ? Array(bytes[range]) : bytes[range].reversed()
      let number = digits.reduce(0) { $0 << 8 | Int($1) } * 3
      let new = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      bytes.replaceSubrange(range, with: isBig ? new.reversed() : new)
    }
    let folder = try TemporaryFolder()
    let names = ["a.mkv", "a.webm", "a.mp4", "end.mp4", "a.avi", "a.ts", "a.mpg", "a.mkv"]
    let name = names[fault]
    let item = try Self.copy(name, to: folder, as: name) { bytes in
      switch fault {
      case 0, 1:
        // The element Duration is a float of 8 bytes: times 3.
        let place = try #require(bytes.firstRange(of: [0x44, 0x89, 0x88])?.upperBound)
        let bits = bytes[place..<(place + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let new = (Double(bitPattern: bits) * 3).bitPattern
        for index in 0..<8 {
          bytes[place + index] = UInt8(truncatingIfNeeded: new >> (56 - 8 * index))
        }
      case 2, 3:
        try triple("mvhd", 20, 4, isBig: true, in: &bytes)
        for text in ["tkhd", "mdhd"] {
          try triple(text, text == "tkhd" ? 24 : 20, 4, isBig: true, in: &bytes)
        }
      case 4: try triple("avih", 24, 4, isBig: false, in: &bytes)
      // Garbage at the end.
      case 5, 6: bytes += [UInt8](repeating: 0x55, count: 3000)
      default:
        // The segment is larger than the file.
        let place = try #require(bytes.firstRange(of: [0x18, 0x53, 0x80, 0x67])?.upperBound)
        bytes[place + 3] = 0x7F
      }
    }
    let player = try await Self.bench(folder)
    let last = try await Self.end(of: item, from: Self.length - 2.5, with: player)
    #expect(last.status == .ended, "\(last)")
    await player.end()
  }

  @Test("a film that is cut off while it plays fails, and plays on once it is whole again")
  func truncated() async throws {
    for name in ["a.mkv", "a.ts"] {
      let folder = try TemporaryFolder()
      let item = try Self.copy(name, to: folder, as: name) { _ in }
      let path = folder.path(of: item)
      let whole = try Data(contentsOf: URL(filePath: path))
      let player = try await Self.bench(folder)
      try await player.play(item)
      try #require(truncate(path, off_t(whole.count / 4)) == 0)
      try await player.wait("it fails") {
        [.failed, .ended].contains($0.playback?.status)
      }
      let last = try #require(player.playback)
      #expect(last.status == .failed && last.position > 0 && last.position < 12, "\(last)")
      try whole.write(to: URL(filePath: path))
      try await player.perform("play")
      #expect(player.playback?.status == .playing)
      #expect(abs((player.playback?.position ?? 0) - last.position) < 1.5)
      await player.end()
    }
  }

  @Test(
    "a film whose server breaks off fails, and one whose server is away for 10 s plays on",
    arguments: [false, true])
  func network(comesBack: Bool) async throws {
    let path = try Self.folder.get().path(of: "films/a.mkv")
    let server = try BreakingServer(file: path, part: 0.4, pause: comesBack ? 10 : nil)
    defer { server.end() }
    let player = try await PlayerBench(
      .dvdPlayer, ["streams": [["name": "Film", "url": .string("\(server.address)/a.mkv")]]])
    try await player.play("stream/Film")
    try await player.wait("it ends or fails", within: 90) {
      [.failed, .ended].contains($0.playback?.status)
    }
    let last = try #require(player.playback)
    if comesBack {
      #expect(last.status == .ended && abs(last.position - Self.length) < 0.5, "\(last)")
    } else {
      #expect(last.status == .failed && abs(last.position - 6.4) < 1.5, "\(last)")
      #expect(last.reason?.contains("broke off") == true, "\(last.reason ?? "")")
    }
    await player.end()
  }
}
