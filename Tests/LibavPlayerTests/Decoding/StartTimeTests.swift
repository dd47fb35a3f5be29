import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Recordings that begin late")
struct StartTimeTests {
  @Test(
    "E9 · a recording whose clock begins at 5,000 s has its own length and positions",
    arguments: [
      ("a.opus", "libopus"), ("b.ogg", "libvorbis"), ("d.spx", "libspeex"),
      ("e.wma", "wmav2"), ("f.mka", "libopus"), ("g.mka", "flac"), ("h.m4a", "aac"),
      ("i.m4a", "alac"), ("j.wma", "wmav1"),
    ])
  func late(name: String, codec: String) async throws {
    let folder = try TemporaryFolder()
    let isSpeech = codec == "libspeex"
    let path = try await Tone(frames: 44_100 * 8, frequencies: [300, 500], rise: 100).encoded(
      "disc/" + name,
      ["-c:a", codec, "-output_ts_offset", "5000"] + (isSpeech ? ["-ar", "16000"] : []), in: folder)
    let song = try #require(FolderScan(MediaFolder(folder.path + "/disc")).songs.first)
    #expect(abs((song.duration ?? 0) - 8) < 0.1)
    let file = try open(path)
    #expect(file.position == 0)
    #expect(file.duration == song.duration)
    let whole = try Decoded(file)
    let rate = whole.format.rate
    #expect(abs(Double(whole.frames) / Double(rate) - 8) < 0.1)
    #expect(file.earlyEnd() == nil)
    try file.seek(to: Int64(5 * rate))
    #expect(file.position == Int64(5 * rate))
    let rest = try Decoded(file)
    #expect(abs(rest.frames - (whole.frames - 5 * rate)) < rate / 10)
    let (start, end) = (5 * rate + rate / 2, 5 * rate + rate)
    let expected = SoundMeasurement.frequency(whole.channels[0][start..<end], rate: rate)
    let measured = SoundMeasurement.frequency(
      rest.channels[0][(rate / 2)..<rate], rate: rate)
    #expect(abs(measured - expected) < 8)
  }
}
