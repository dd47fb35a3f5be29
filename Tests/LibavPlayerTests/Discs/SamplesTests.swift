import Foundation
import Testing

@testable import LibavPlayer

@Suite("The demo disc")
struct SamplesTests {
  private let music = #filePath.components(separatedBy: "/Tests/")[0] + "/Samples/Music"

  @Test("E9 · its five songs are listed in order, each in another format")
  func listed() throws {
    let scan = try FolderScan(MediaFolder(music))
    #expect(scan.skipped.isEmpty)
    #expect(
      scan.songs.map(\.title) == [
        "Morning Stairs", "Night Bus", "Eight-Bit Errand", "Glass Canon", "Waltz for Gears",
      ])
    #expect(scan.songs.map(\.format) == ["flac", "vorbis", "mp3", "opus", "aac"])
    #expect(scan.songs.map(\.track) == [1, 2, 3, 4, 5])
    #expect(scan.songs.allSatisfy { $0.artist == "The House Band" && $0.album == "Demo Disc" })
    #expect(scan.songs.allSatisfy { (15...40).contains($0.duration ?? 0) })
  }

  @Test("F4 · each of its songs decodes to its full length, audible and unclipped")
  func decoded() throws {
    let media = try MediaFolder(music)
    for song in try FolderScan(media).songs {
      let track = try open(media.resolve(song.id))
      let decoded = try Decoded(track, limit: 3 * track.format.rate)
      let rest = try Decoded.countFrames(track)
      let seconds = Double(decoded.frames + rest) / Double(decoded.format.rate)
      #expect(abs(seconds - (song.duration ?? 0)) < 0.05, "\(song.title)")
      let loudest = decoded.channels.map(level).max() ?? 0
      #expect((0.05...0.4).contains(loudest), "\(song.title)")
      for channel in decoded.channels {
        #expect((channel.map(abs).max() ?? 2) <= 1, "\(song.title)")
      }
    }
  }
}
