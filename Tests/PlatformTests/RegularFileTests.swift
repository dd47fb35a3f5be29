import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@Suite("Replacing a file")
struct RegularFileTests {
  private static func mode(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  @Test("F6 · a replaced file keeps its mode and the link to it, and no temporary file is left")
  func replaced() async throws {
    try await withTemporaryFolder { folder in
      func place(_ name: String) -> String { folder.appendingPathComponent(name).path }
      mkdir(place("real"), 0o700)
      try Data("old".utf8).write(to: folder.appendingPathComponent("real/a.json"))
      chmod(place("real/a.json"), 0o640)
      #expect(symlink("real/a.json", place("link")) == 0)
      let bytes = [UInt8]("new, and longer".utf8)
      try RegularFile.replace(place("link"), with: bytes)
      #expect(try RegularFile.read(place("real/a.json"), atMost: 100) == bytes)
      #expect(Self.mode(place("real/a.json")) == 0o640)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: place("link")) == "real/a.json")
      #expect(try FileManager.default.contentsOfDirectory(atPath: place("real")) == ["a.json"])
    }
  }

  @Test("F6 · a file that cannot be replaced stays, and no temporary file is left")
  func refused() async throws {
    try await withTemporaryFolder { folder in
      let missing = folder.appendingPathComponent("a.json").path
      #expect(throws: SystemError(ENOENT)) { try RegularFile.replace(missing, with: []) }
      // The name is so long that the longer name of the temporary file exceeds the system's limit.
      let long = folder.appendingPathComponent(String(repeating: "a", count: 255)).path
      try Data("old".utf8).write(to: URL(fileURLWithPath: long))
      #expect(throws: SystemError(ENAMETOOLONG)) { try RegularFile.replace(long, with: [1]) }
      #expect(try RegularFile.read(long, atMost: 100) == Array("old".utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
  }
}
