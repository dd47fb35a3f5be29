import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite struct StateLockTests {
  @Test("a released lock is free although a child process still has its descriptor")
  func copiedDescriptor() throws {
    let folder = try TemporaryFolder()
    var lock: StateLock? = try StateLock(folder.path, for: .restoring)
    // As after a fork: a second descriptor of the same open folder.
    let copy = try #require(Self.descriptors(of: folder.path).first.map { dup($0) })
    defer { close(copy) }
    #expect(throws: StorageError.self) { try StateLock(folder.path, for: .restoring) }
    withExtendedLifetime(lock) {}
    lock = nil
    _ = try StateLock(folder.path, for: .restoring)
  }

  /// The descriptors of this process that have `path` open.
  private static func descriptors(of path: String) throws -> [Int32] {
    let folder = "/proc/self/fd"
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == real
    }.compactMap { Int32($0) }
  }
}
