import Foundation
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Stated and missing bytes")
struct CompletenessTests {
  private func completeness(_ path: String, _ container: Container) throws -> Completeness {
    Completeness(try #require(FileWindow(path)), container)
  }

  @Test("A fragmented M4A file that ends at a fragment may be cut or whole")
  func fragments() async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 44_100 * 10).encoded(
      "a.m4a", ["-movflags", "+frag_every_frame+empty_moov", "-frag_duration", "1000000"],
      in: folder)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let moof = Array("moof".utf8)
    let fragments = bytes.indices.filter {
      bytes[$0] == moof[0] && bytes[$0...].starts(with: moof)
    }
    try #require(fragments.count > 4)
    let cut = try folder.write("cut.m4a", Array(bytes.prefix(fragments[3] - 4)))
    #expect(try completeness(cut, .mov) == .unknown)
    #expect(try completeness(path, .mov) == .unknown)
    let half = try folder.write("half.m4a", Array(bytes.prefix(fragments[3] + 40)))
    #expect(try completeness(half, .mov) == .cut)
  }

  @Test("An RF64 file whose writer left its sizes open is not judged")
  func openSizes() async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 44_100).encoded("a.wav", ["-rf64", "always"], in: folder)
    #expect(try completeness(path, .wav) == .whole)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for value: UInt8 in [0, 0xFF] {
      // The sizes of the file and of its samples.
      bytes.replaceSubrange(20..<36, with: [UInt8](repeating: value, count: 16))
      #expect(try completeness(folder.write("open.wav", bytes), .wav) == .unknown)
    }
  }

  @Test("A FLAC file full of beginnings of frames is examined in a short time")
  func beginnings() throws {
    let folder = try TemporaryFolder()
    let frames = [UInt8]((0..<(1 << 19)).flatMap { _ in [0xFF, 0xF8] as [UInt8] })
    let path = try folder.write("a.flac", Array("fLaC".utf8) + frames + [0x12])
    let start = ContinuousClock.now
    #expect(try completeness(path, .flac) == .cut)
    #expect(ContinuousClock.now - start < .seconds(2))
  }
}
