import Foundation
import TestSupport
import Testing

@Suite("Recordings of the tests")
struct RecordingTests {
  @Test("A file that so far ends with the name of its data chunk is an empty recording")
  func unfinishedHeader() throws {
    let folder = try TemporaryFolder()
    var header = [UInt8](repeating: 0, count: 44)
    header[22] = 2  // channels
    header[34] = 16  // bits of a sample
    let path = try folder.write("unfinished.wav", header + Array("data".utf8))
    let recording = try #require(Recording(URL(fileURLWithPath: path)))
    #expect(recording.channels == [[], []])
  }
}
