import Foundation
import Glibc
import Testing

@testable import theater

@Suite struct PlaceTests {
  /// A folder of this test's own.
  private static func scratch() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/place-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("F5 · folders follow the XDG variables; a relative or empty one is passed over")
  func folders() {
    let variables = [
      "HOME": "/home/ann", "XDG_STATE_HOME": "/var/x", "XDG_DATA_HOME": "relative",
      "XDG_RUNTIME_DIR": "/run/user/7",
    ]
    let folders = Folders(user: 7) { variables[$0] }
    #expect(folders.state == "/var/x/theater")
    #expect(folders.data == "/home/ann/.local/share/theater")
    #expect(folders.runtime == "/run/user/7/theater")
    #expect(folders.socket == "/run/user/7/theater/theater.sock")
    let bare = Folders(user: 4_000_000_000) { _ in nil }
    #expect(bare.runtime == "/tmp/theater-4000000000")
  }

  @Test("F5 · a runtime folder is made for its user alone, and one that is open is closed")
  func privateFolder() throws {
    let base = try Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: base) }
    try Folders.make(privately: base + "/a/b")
    #expect(try Self.mode(base + "/a/b") == 0o700)
    mkdir(base + "/open", 0o777)
    chmod(base + "/open", 0o777)
    try Folders.make(privately: base + "/open")
    #expect(try Self.mode(base + "/open") == 0o700)
  }

  @Test("F5 · a link or a file in place of a private folder is refused")
  func trapFolder() throws {
    let base = try Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: base) }
    mkdir(base + "/real", 0o700)
    symlink(base + "/real", base + "/link")
    #expect(throws: Ending.self) { try Folders.make(privately: base + "/link") }
    try Data().write(to: URL(fileURLWithPath: base + "/file"))
    #expect(throws: Ending.self) { try Folders.make(privately: base + "/file") }
  }

  @Test("A10 · the token lies in a file with mode 0600 and is gone after logging out")
  func token() throws {
    let base = try Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: base) }
    let file = TokenFile(base + "/state/token")
    #expect(try file.read() == nil)
    try file.write("secret")
    #expect(try file.read() == "secret")
    #expect(try Self.mode(file.path) == 0o600)
    #expect(try Self.mode(base + "/state") == 0o700)
    try file.write("another")
    #expect(try file.read() == "another")
    #expect(try FileManager.default.contentsOfDirectory(atPath: base + "/state") == ["token"])
    file.remove()
    #expect(try file.read() == nil)
  }

  @Test("A10 · a token that others can read is not used")
  func openToken() throws {
    let base = try Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: base) }
    let file = TokenFile(base + "/token")
    try file.write("secret")
    chmod(file.path, 0o644)
    #expect(throws: Ending.self) { try file.read() }
  }

  @Test("A10 · what cannot be a token is never sent; the person is told to log in again")
  func oddToken() throws {
    let base = try Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: base) }
    let file = TokenFile(base + "/token")
    let odd: [[UInt8]] = [
      [0xFF, 0xFE, 0x00], Array("a\u{1B}[2J".utf8), Array("two words".utf8), Array("ü".utf8),
      Array(repeating: UInt8(ascii: "a"), count: 5000),
    ]
    for bytes in odd {
      try Data(bytes).write(to: URL(fileURLWithPath: file.path))
      chmod(file.path, 0o600)
      let ending = #expect(throws: Ending.self) { try file.read() }
      #expect(ending?.code == .notLoggedIn && ending?.text.contains("holds no token") == true)
    }
    try Data(" \n".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(try file.read() == nil)
    file.remove()
    mkdir(file.path, 0o700)
    #expect(throws: Ending.self) { try file.read() }
    rmdir(file.path)
    symlink("/dev/null", file.path)
    let ending = #expect(throws: Ending.self) { try file.read() }
    #expect(ending?.text.contains("is a link") == true)
    // Logging in mends all of that.
    try file.write("secret")
    #expect(try file.read() == "secret")
  }

  @Test("E11 · one controller runs in a runtime folder; the second is told who it is")
  func lock() throws {
    let base = try Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: base) }
    let folders = Folders { ["HOME": base, "XDG_RUNTIME_DIR": base][$0] }
    try folders.prepareRuntime()
    // What an earlier controller left: a socket at which nobody answers.
    try Data().write(to: URL(fileURLWithPath: folders.socket))
    let first = try ControllerLock(folders)
    #expect(access(folders.socket, F_OK) != 0)
    let ending = #expect(throws: Ending.self) { try ControllerLock(folders) }
    #expect(ending?.text.contains("process \(getpid())") == true)
    first.release()
    try ControllerLock(folders).release()
  }

  @Test("E11 · a path too long for a socket is told before anything starts")
  func longPath() throws {
    let base = try Self.scratch()
    defer { try? FileManager.default.removeItem(atPath: base) }
    let long = base + "/" + String(repeating: "x", count: 100)
    let folders = Folders { ["HOME": base, "XDG_RUNTIME_DIR": long][$0] }
    let ending = #expect(throws: Ending.self) { try folders.prepareRuntime() }
    #expect(ending?.text.contains("XDG_RUNTIME_DIR") == true)
  }
}
