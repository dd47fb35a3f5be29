import Foundation
import TestSupport
import Testing

@testable import MpvPlayer

/// What the headers of real files declare about their length.
@Suite("MpvPlayer: lengths of files", .timeLimit(.minutes(2)))
struct FileExtentTests {
  private static let picture = [
    "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=4", "-f", "lavfi", "-i", "sine=440:r=48000:d=4",
  ]
  private static let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]

  /// The containers that declare their length, with arguments of ffmpeg.
  static let declaring: [(name: String, arguments: [String])] = [
    ("a.mkv", x264 + ["-c:a", "flac"]), ("a.mp4", x264 + ["-c:a", "aac"]),
    ("fast.mp4", x264 + ["-c:a", "aac", "-movflags", "+faststart"]),
    ("a.mov", x264 + ["-c:a", "aac"]), ("a.avi", ["-c:v", "mpeg4", "-c:a", "mp3"]),
    ("a.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis"]),
    ("a.wmv", ["-c:v", "wmv2", "-c:a", "wmav2"]), ("a.flv", x264 + ["-c:a", "aac"]),
    ("a.flac", ["-vn", "-c:a", "flac"]), ("a.wav", ["-vn"]), ("a.m4a", ["-vn", "-c:a", "aac"]),
  ]

  /// Bytes in memory.
  private struct Bytes: ByteSource {
    var all: [UInt8]
    var size: Int { all.count }
    func bytes(at place: Int, count: Int) -> [UInt8] {
      place >= 0 && place < all.count ? Array(all[place...].prefix(count)) : []
    }
  }

  @Test("knows a whole file from one that was cut", arguments: declaring.map(\.name))
  func cut(name: String) throws {
    let folder = try TemporaryFolder()
    let arguments = try #require(Self.declaring.first { $0.name == name }).arguments
    let path = folder.path(of: name)
    try TestFilms.ffmpeg(Self.picture + arguments + [path])
    let whole = try MediaFile(path)
    #expect(FileExtent(whole).completeness == .whole)
    let bytes = whole.bytes(at: 0, count: whole.size)
    for part in [30, 60, 99] {
      let count = bytes.count * part / 100
      #expect(FileExtent(Bytes(all: Array(bytes.prefix(count)))).completeness == .cut, "\(part) %")
    }
  }

  @Test(
    "does not judge containers without a declared length", arguments: ["a.ts", "a.mpg", "a.ogg"])
  func undeclared(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: name)
    let sound =
      name == "a.ogg" ? ["-vn", "-c:a", "libvorbis"] : ["-c:v", "mpeg2video", "-c:a", "mp2"]
    try TestFilms.ffmpeg(Self.picture + sound + [path])
    #expect(FileExtent(try MediaFile(path)).completeness == .unknown)
  }

  @Test("survives every prefix and every changed byte of the headers")
  func garbage() throws {
    let folder = try TemporaryFolder()
    var generator = SystemRandomNumberGenerator()
    for (name, arguments) in Self.declaring {
      let path = folder.path(of: name)
      try TestFilms.ffmpeg(Self.picture + arguments + [path])
      let bytes = try MediaFile(path).bytes(at: 0, count: 6000)
      for count in 0..<200 { _ = FileExtent(Bytes(all: Array(bytes.prefix(count)))) }
      for _ in 0..<300 {
        var changed = bytes
        for _ in 0..<8 {
          changed[Int.random(in: 0..<min(changed.count, 600), using: &generator)] =
            [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        }
        _ = FileExtent(Bytes(all: changed))
      }
    }
  }

  /// An end of a film of an hour.
  private func end(
    at position: Double, format: String = "mkv", error: String? = nil, isReadToEnd: Bool? = nil,
    _ completeness: FileExtent.Completeness = .unknown, duration: Double? = 3600
  ) -> Bool {
    var facts = MediaFacts.film
    facts.duration = duration
    facts.format = format
    var end = FilmEnd(
      facts: facts, isDisc: format == "disc", position: position, readError: error,
      isReadToEnd: isReadToEnd)
    end.inspection.extent.completeness = completeness
    return end.failure == nil
  }

  @Test("tells the end of a film from a film that broke off")
  func verdicts() {
    #expect(end(at: 3600))
    #expect(end(at: 3565) && !end(at: 3500), "1 % of an hour")
    #expect(end(at: 1800, .whole), "the declared duration is wrong: no byte is missing")
    #expect(!end(at: 1800, isReadToEnd: false, .whole), "most bytes were not read")
    #expect(!end(at: 1800, .cut) && !end(at: 3599, .cut) && end(at: 3600, .cut))
    #expect(!end(at: 1800, format: "disc") && end(at: 3599.8, format: "disc", .cut))
    let error = "http: Stream ends prematurely at 5, should be 9"
    #expect(!end(at: 1800, error: error) && end(at: 3600, error: error))
    #expect(!end(at: 1800, format: "mpegts", error: error, duration: 1800.2))
    #expect(!end(at: 1800, format: "mpegts", error: error, duration: nil))
    // An estimated duration fails no film.
    #expect(end(at: 1800, format: "mpegts") && end(at: 1800, format: "mpeg", isReadToEnd: true))
    #expect(end(at: 1800, format: "mp3") && end(at: 5, duration: nil))
  }

  @Test("reads on only when data came after an error, and knows whether a file was read to its end")
  func progress() {
    var reading = ReadingProgress()
    func answer(_ seconds: Double, _ cache: Double) -> PositionAnswer {
      PositionAnswer(seconds: seconds, place: seconds * 1000, cacheTime: cache)
    }
    var isOver = [(10.0, 40.0), (11, 40), (12, 40), (13, 43)].map {
      reading.record(answer($0, $1), hasError: true)
    }
    #expect(isOver == [false, false, false, true])
    isOver = [(14.0, 50.0), (15, 50)].map { reading.record(answer($0, $1), hasError: true) }
    #expect(isOver == [false, false])
    #expect(reading.isReadToEnd(at: 15.2, size: 16_000) == true)
    #expect(reading.isReadToEnd(at: 15.2, size: 32_000) == false)
    #expect(reading.isReadToEnd(at: 15.2, size: nil) == nil)
  }

  @Test("recognizes the errors of reading in mpv's log, and not those of decoders")
  func errors() {
    for line in [
      "ffmpeg: http: Stream ends prematurely at 768144, should be 1536289",
      "ffmpeg/demuxer: mov,mp4: stream 1, offset 0xbcc82: partial file",
      "dvdnav: Error getting next block from DVD 1 (Error reading from DVD.)",
      "ffmpeg: tcp: Connection to tcp://x failed: Connection refused",
    ] {
      #expect(ReadErrors.contains(line), "\(line)")
    }
    for line in [
      "ffmpeg/video: h264: error while decoding MB 8 2", "ad: Error decoding audio.",
      "ffmpeg/video: mpeg2video: ac-tex damaged at 8 4",
    ] {
      #expect(!ReadErrors.contains(line), "\(line)")
    }
  }
}
