import Foundation
import MediaFolders
import MediaNetwork
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Lengths")
struct LengthTests {
  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The bytes around the frames of an MP3 file.
  enum Surroundings: String, CaseIterable {
    case nothing, garbageInFront, muchGarbageInFront, garbageBehind, oldTagBehind, apeTagBehind
    case tagsInFront, garbageInTheMiddle

    func around(_ sound: [UInt8]) -> [UInt8] {
      var random = Lehmer(seed: 7)
      func garbage(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      func tag(_ size: Int) -> [UInt8] {
        Array("ID3".utf8) + [4, 0, 0] + [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
          + [UInt8](repeating: 0, count: size)
      }
      switch self {
      case .nothing: return sound
      case .garbageInFront: return garbage(20_000) + sound
      case .muchGarbageInFront: return garbage(200_000) + sound
      case .garbageBehind: return sound + garbage(50_000)
      case .oldTagBehind: return sound + Array("TAG".utf8) + [UInt8](repeating: 65, count: 125)
      case .apeTagBehind:
        // A picture inside: bytes that look like sound here and there.
        let picture = garbage(100_000)
        let size = picture.count + 32
        let footer =
          Array("APETAGEX".utf8) + [0xD0, 7, 0, 0] + (0..<4).map { UInt8(size >> (8 * $0) & 0xFF) }
          + [1, 0, 0, 0] + [UInt8](repeating: 0, count: 12)
        return sound + picture + footer
      case .tagsInFront: return tag(100_000) + tag(3_000) + sound
      case .garbageInTheMiddle:
        return Array(sound.prefix(sound.count / 2)) + garbage(3_000)
          + Array(sound.suffix(sound.count - sound.count / 2))
      }
    }
  }

  @Test(
    "E9 · an MP3 file has the length of its sound, whatever stands around it",
    arguments: Surroundings.allCases, [true, false])
  func mp3(surroundings: Surroundings, isTagged: Bool) async throws {
    let folder = try TemporaryFolder()
    let tone = Tone(frames: 44_100 * 6)
    let options = isTagged ? ["-q:a", "4"] : ["-b:a", "128k", "-write_xing", "0"]
    let plain = try bytes(
      try await tone.encoded("plain.mp3", options + ["-id3v2_version", "0"], in: folder))
    let path = try folder.write("x/song.mp3", surroundings.around(plain))
    let file = try open(path)
    let duration = try #require(file.duration)
    let played = try Decoded(file)
    let frame = 1_152.0 / 44_100
    let length = Double(played.frames) / 44_100
    // Half of the frame that the garbage cut in two may be lost, or come out twice.
    let slack = surroundings == .garbageInTheMiddle ? 4 * frame : frame
    #expect(abs(duration - length) <= slack)
    let scan = try FolderScan(MediaFolder(folder.path + "/x"))
    #expect(scan.songs.first?.duration == duration)
    guard surroundings != .garbageInTheMiddle else { return }
    // Delay and padding can be left out only where a tag tells them.
    #expect(isTagged ? played.frames == tone.frames : abs(length - 6) <= 2 * frame + 0.001)
    #expect(
      abs(SoundMeasurement.frequency(played.channels[0][4_000..<260_000], rate: 44_100) - 440) < 0.5
    )
    try file.seek(to: 200_000)
    #expect(try Decoded(file).frames == played.frames - 200_000)
  }

  @Test("Two MP3 files one behind the other play and count both")
  func joinedMP3() async throws {
    let folder = try TemporaryFolder()
    let one = try bytes(try await Tone(frames: 44_100 * 3).encoded("1.mp3", [], in: folder))
    let two = try bytes(try await Tone(frames: 44_100 * 2).encoded("2.mp3", [], in: folder))
    let file = try open(folder.write("both.mp3", one + two))
    let duration = try #require(file.duration)
    let length = Double(try Decoded.countFrames(file)) / 44_100
    #expect(abs(duration - length) < 0.06)
    #expect(abs(duration - 5) < 0.15)
  }

  @Test("E9 · a bare AAC file has the length of its frames")
  func aac() async throws {
    let folder = try TemporaryFolder()
    // Silence costs few bytes and a chord many: the bit rate of the beginning tells nothing.
    let path = try folder.file("bare.aac")
    try await run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "anoisesrc=d=2:r=44100", "-f", "lavfi", "-i",
        "anullsrc=d=10:r=44100:cl=mono", "-filter_complex", "concat=n=2:v=0:a=1", path,
      ])
    let file = try open(path)
    let duration = try #require(file.duration)
    #expect(abs(duration - Double(try Decoded.countFrames(file)) / 44_100) < 0.03)
    #expect(abs(duration - 12) < 0.1)
  }

  @Test("A file that would have to be read as a whole and is too long has no length")
  func tooLong() async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone().encoded("bare.mp3", ["-write_xing", "0"], in: folder)
    let content = FileContent(path: path, limit: 1_000, interrupt: LibavInterrupt())
    #expect(content.container == .mp3 && content.isCounted)
    #expect(content.parts.map(\.seconds) == [nil])
  }

  @Test(
    "E9 · the links of a chained Ogg file follow each other without a gap, and all count",
    arguments: ["libvorbis", "libopus", "flac"])
  func chained(codec: String) async throws {
    let folder = try TemporaryFolder()
    let rate = codec == "libopus" ? 48_000 : 44_100
    // libav loses 128 frames of Vorbis that fits into one page, of about a second.
    let lengths = [3.0, 2.0, 2.5, 4.0]
    var whole: [UInt8] = []
    for (index, seconds) in lengths.enumerated() {
      let tone = Tone(
        rate: rate, frames: Int(seconds * Double(rate)),
        frequencies: [300 + 100 * Double(index), 500])
      whole += try bytes(
        try await tone.encoded("\(index).oga", ["-c:a", codec], in: folder))
    }
    let path = try folder.write("x/chain.ogg", whole)
    let file = try open(path)
    let slack = 0.000_1
    #expect(abs((file.duration ?? 0) - 11.5) < slack)
    #expect(try FolderScan(MediaFolder(folder.path + "/x")).songs.first?.duration == file.duration)
    let all = try Decoded(file)
    #expect(abs(Double(all.frames) / Double(rate) - 11.5) < slack)
    for (start, hertz) in [(0.2, 300.0), (3.1, 400), (5.2, 500), (7.8, 600)] {
      let range = Int(start * Double(rate))..<Int((start + 0.3) * Double(rate))
      #expect(abs(SoundMeasurement.frequency(all.channels[0][range], rate: rate) - hertz) < 2)
    }
    // Opus settles within a hundredth after a jump.
    let tolerance: Float = codec == "libopus" ? 0.02 : 0.000_2
    for seconds in [5.5, 0.4, 11.0, 3.2] {
      let target = Int(seconds * Double(rate))
      try file.seek(to: Int64(target))
      #expect(file.position == Int64(target))
      let part = try Decoded(file, limit: 2_000).channels[0]
      let worst = zip(part, all.channels[0][target...]).map { abs($0 - $1) }.max() ?? 1
      #expect(worst <= tolerance, "at \(seconds) s")
    }
    try file.seek(to: Int64(20 * rate))
    #expect(try file.next() == nil)
  }

  @Test("A chained Ogg file may change its rate and channels from link to link")
  func mixedChain() async throws {
    let folder = try TemporaryFolder()
    let one = try bytes(
      try await Tone(frames: 88_200).encoded("1.ogg", [], in: folder))
    let two = try bytes(
      try await Tone(rate: 48_000, frames: 96_000, frequencies: [440]).encoded(
        "2.ogg", [], in: folder))
    let file = try open(folder.write("both.ogg", one + two))
    #expect(file.duration == 4)
    #expect(try Decoded.countFrames(file) == 88_200 + 96_000)
    #expect(file.format.rate == 48_000 && file.format.channels == 1)
    #expect(file.position == 4 * 48_000)
    try file.seek(to: 24_000)
    #expect(file.format.rate == 44_100)
    #expect(file.position == 22_050)
  }

  /// A damaged chained Ogg file: many links begin at its start, and zeros lie before its last page.
  private func manyLinks(in folder: TemporaryFolder) throws -> String {
    func page(_ serial: UInt8, _ flags: UInt8) -> [UInt8] {
      Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 8) + [serial, 0, 0, 0]
        + [UInt8](repeating: 0, count: 8) + [0]
    }
    // One page of each link begins its stream, and one goes on with it.
    let links = (0..<200).flatMap { page($0, 2) + page($0, 0) }
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    return try folder.write("chain.ogg", links + zeros + page(255, 0))
  }

  @Test("A damaged Ogg file is searched for links only up to a limit of bytes")
  func searchLimit() throws {
    let folder = try TemporaryFolder()
    let path = try manyLinks(in: folder)
    let limit: Int64 = 4 << 20
    let file = try #require(FileWindow(path, limit: limit))
    #expect(OggLinks.find(in: file) == [])
    #expect(file.isExhausted)
    #expect(file.bytesRead < limit + (1 << 16))
    let content = FileContent(file, promised: .ogg, limit: 0)
    #expect(content.parts == [FileContent.Part()])
  }

  @Test("A cancelled or overdue interrupt ends the search in a file", arguments: [true, false])
  func searchInterrupt(isCancelled: Bool) async throws {
    let folder = try TemporaryFolder()
    let ogg = try manyLinks(in: folder)
    // False frame headers, each of which makes the search look ahead.
    let mp3 = try folder.write(
      "song.mp3", (0..<500_000).flatMap { _ in [0xFF, 0xFB, 0x90, 0x00] as [UInt8] })
    let interrupt = LibavInterrupt()
    if isCancelled { interrupt.cancel() } else { interrupt.setDeadline(milliseconds: 0) }
    try await Task.sleep(for: .milliseconds(2))
    for path in [ogg, mp3] {
      let file = try #require(FileWindow(path, interrupt: interrupt))
      #expect(OggLinks.find(in: file) == [])
      #expect(FrameSequence(file, from: 0, limit: .max) == nil)
      #expect(file.bytesRead == 0)
    }
  }

  @Test("A damaged link of a chained Ogg file is passed over")
  func damagedChain() async throws {
    let folder = try TemporaryFolder()
    var links: [[UInt8]] = []
    for index in 0...2 {
      links.append(
        try bytes(
          try await Tone(frames: 88_200).encoded(
            "\(index).ogg", [], in: folder)))
    }
    // The identification header says another codec.
    for index in 28..<58 { links[1][index] = 0x41 }
    let file = try open(folder.write("chain.ogg", links.flatMap { $0 }))
    #expect(try Decoded.countFrames(file) == 2 * 88_200)
  }
}
