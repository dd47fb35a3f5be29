import Foundation
import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("The demo disc")
struct SamplesTests {
  private let music = Program.project.appending(path: "Samples/Music").path

  @Test("E9 · its five songs are listed in order, each in another format")
  func listed() throws {
    let scan = try FolderScan(MediaFolder(music))
    #expect(scan.skipped.isEmpty)
    let songs = scan.songs.sorted(by: Song.precedes)
    #expect(
      songs.map(\.title) == [
        "Morning Stairs", "Night Bus", "Eight-Bit Errand", "Glass Canon", "Waltz for Gears",
      ])
    #expect(songs.map(\.format) == ["flac", "vorbis", "mp3", "opus", "aac"])
    #expect(songs.map(\.track) == [1, 2, 3, 4, 5])
    #expect(songs.allSatisfy { $0.artist == "The House Band" && $0.album == "Demo Disc" })
    #expect(songs.allSatisfy { (15...40).contains($0.duration ?? 0) })
  }

  @Test("F4 · each of its songs decodes to its full length, audible and unclipped")
  func decoded() throws {
    let media = try MediaFolder(music)
    for song in try FolderScan(media).songs {
      let file = try open(media.resolve(song.id))
      let decoded = try Decoded(file, limit: 3 * file.format.rate)
      let rest = try Decoded.countFrames(file)
      let seconds = Double(decoded.frames + rest) / Double(decoded.format.rate)
      #expect(abs(seconds - (song.duration ?? 0)) < 0.05, "\(song.title)")
      let loudest = decoded.channels.map { SoundMeasurement.level($0) }.max() ?? 0
      #expect((0.05...0.4).contains(loudest), "\(song.title)")
      for channel in decoded.channels {
        #expect((channel.map(abs).max() ?? 2) <= 1, "\(song.title)")
      }
    }
  }
}
