import Foundation
import TestSupport
import Testing

@testable import MpvPlayer

/// Lengths that writers of files leave open or declare wrong.
@Suite("MpvPlayer: open and wrong lengths", .timeLimit(.minutes(1)))
struct ExtentRuleTests {
  /// Bytes in memory.
  private struct Bytes: ByteSource {
    var all: [UInt8]
    var size: Int { all.count }
    func bytes(at place: Int, count: Int) -> [UInt8] {
      place >= 0 && place < all.count ? Array(all[place...].prefix(count)) : []
    }
  }

  private static func little(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// A WAV file with 1 s of silence, mono, 8 bits, 8000 Hz, and the declared sizes.
  private static func wave(
    riff: UInt64, data: UInt64, wide: (riff: UInt64, data: UInt64)? = nil
  ) -> Bytes {
    var all = Array((wide == nil ? "RIFF" : "RF64").utf8) + little(riff, 4) + Array("WAVE".utf8)
    if let wide {
      all += Array("ds64".utf8) + little(28, 4) + little(wide.riff, 8) + little(wide.data, 8)
      all += little(8000, 8) + little(0, 4)
    }
    all += Array("fmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2) + little(8000, 4)
    all += little(8000, 4) + little(1, 2) + little(8, 2) + Array("data".utf8) + little(data, 4)
    return Bytes(all: all + [UInt8](repeating: 0x80, count: 8000))
  }

  @Test(
    "does not judge a WAV file whose writer left its sizes open",
    arguments: [0, 0xFFFF_FFFF, 0xFFFF_FFDB, 0xFFFF_0000, 0x7FFF_FFFF, 0x7FFF_F000, 0x8000_0000])
  func openSizes(size: UInt64) {
    let extent = FileExtent(Self.wave(riff: size, data: size))
    #expect(extent == FileExtent())
    let wide = FileExtent(
      Self.wave(riff: 0xFFFF_FFFF, data: 0xFFFF_FFFF, wide: (0, size == 0 ? 0 : .max)))
    #expect(wide == FileExtent())
  }

  @Test("takes a WAV file as whole if one of its sizes fits, and reads the sizes of RF64")
  func wave() {
    let whole = Self.wave(riff: 8036, data: 8000)
    #expect(FileExtent(whole).completeness == .whole && FileExtent(whole).duration == 1)
    #expect(FileExtent(Self.wave(riff: 8036, data: 0x2000_0000)).completeness == .whole)
    #expect(FileExtent(Self.wave(riff: 8036, data: 0x2000_0000)).duration == nil)
    #expect(FileExtent(Self.wave(riff: 0x2000_0000, data: 8000)).completeness == .whole)
    #expect(FileExtent(Self.wave(riff: 16_036, data: 16_000)).completeness == .cut)
    #expect(FileExtent(Self.wave(riff: 16_036, data: 16_000)).duration == 2)
    let open: UInt64 = 0xFFFF_FFFF
    #expect(
      FileExtent(Self.wave(riff: open, data: open, wide: (8072, 8000))).completeness == .whole)
    let cut = FileExtent(Self.wave(riff: open, data: open, wide: (5 << 30, 5 << 30)))
    #expect(cut.completeness == .cut)
    #expect(cut.duration == Double(5 << 30) / 8000)
  }

  @Test("examines a FLAC file full of beginnings of frames in a short time")
  func beginnings() throws {
    let all =
      Array("fLaC".utf8) + (0..<(1 << 17)).flatMap { _ in [0xFF, 0xF8] as [UInt8] } + [0x12]
    let time = ContinuousClock().measure {
      #expect(FileExtent(Bytes(all: all)).completeness == .cut)
    }
    // Work that grows with the square of the length would take minutes.
    #expect(time < .seconds(20))
  }

  /// An end of a film of an hour at its half.
  private func failure(
    format: String = "mkv", isReadToEnd: Bool? = nil, _ change: (inout FilmEnd.Inspection) -> Void
  ) -> String? {
    var facts = MediaFacts.film
    facts.duration = 3600
    facts.format = format
    var end = FilmEnd(
      facts: facts, isDisc: false, position: 1800, readError: nil, isReadToEnd: isReadToEnd)
    change(&end.inspection)
    return end.failure
  }

  @Test("reads only a short part of a file behind its end")
  func limit() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "x.mkv")
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 1 << 30)
    let file = try MediaFile(path)
    #expect(file.error(from: 1 << 29, to: file.size) == nil)
    #expect(file.bytesRead <= 8 << 20)
  }

  @Test("fails no film because its disk is slow, and one of an estimated duration for no silence")
  func slow() {
    #expect(failure { $0.isUnfinished = true } == nil)
    #expect(failure(isReadToEnd: false) { $0.isUnfinished = true } != nil)
    let silence: (inout FilmEnd.Inspection) -> Void = {
      $0.isSilent = true
      $0.error = "the disk or share does not answer"
    }
    #expect(failure(silence)?.contains("does not answer") == true)
    #expect(failure(format: "mp3", silence) == nil)
    #expect(failure(format: "mp3", isReadToEnd: true) { $0.error = "i/o error" } == nil)
    #expect(failure(format: "mpegts") { $0.error = "i/o error" } != nil)
  }
}
