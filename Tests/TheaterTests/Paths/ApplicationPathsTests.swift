import Foundation
import Glibc
import TestSupport
import Testing

@testable import theater

@Suite struct ApplicationPathsTests {
  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("F5 · folders follow the XDG variables; relative and empty values are ignored")
  func folders() {
    let variables = [
      "HOME": "/home/ann", "XDG_STATE_HOME": "/var/x", "XDG_DATA_HOME": "relative",
      "XDG_RUNTIME_DIR": "/run/user/7",
    ]
    let paths = ApplicationPaths(user: 7) { variables[$0] }
    #expect(paths.state == "/var/x/theater")
    #expect(paths.data == "/home/ann/.local/share/theater")
    #expect(paths.runtime == "/run/user/7/theater")
    #expect(paths.socket == "/run/user/7/theater/theater.sock")
    let bare = ApplicationPaths(user: 4_000_000_000) { _ in nil }
    #expect(bare.runtime == "/tmp/theater-4000000000")
  }

  @Test("F5 · a runtime folder is made private, and an existing one is closed to others")
  func privateFolder() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    try ApplicationPaths.make(privately: base + "/a/b")
    #expect(try Self.mode(base + "/a/b") == 0o700)
    mkdir(base + "/open", 0o777)
    chmod(base + "/open", 0o777)
    try ApplicationPaths.make(privately: base + "/open")
    #expect(try Self.mode(base + "/open") == 0o700)
  }

  @Test("F5 · a link or a file in place of a private folder is rejected")
  func trapFolder() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    mkdir(base + "/real", 0o700)
    symlink(base + "/real", base + "/link")
    #expect(throws: ExitError.self) { try ApplicationPaths.make(privately: base + "/link") }
    try Data().write(to: URL(fileURLWithPath: base + "/file"))
    #expect(throws: ExitError.self) { try ApplicationPaths.make(privately: base + "/file") }
  }

  @Test("A10 N-A3 · the token's file has mode 0600 and is removed")
  func token() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
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

  @Test("A10 N-A3 · rejects a token that others can read")
  func openToken() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let file = TokenFile(base + "/token")
    try file.write("secret")
    chmod(file.path, 0o644)
    #expect(throws: ExitError.self) { try file.read() }
  }

  @Test("A10 · rejects a file that cannot hold a token, and asks for a new login")
  func oddToken() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let file = TokenFile(base + "/token")
    let odd: [[UInt8]] = [
      [0xFF, 0xFE, 0x00], Array("a\u{1B}[2J".utf8), Array("two words".utf8), Array("ü".utf8),
      Array(repeating: UInt8(ascii: "a"), count: 5000),
    ]
    for bytes in odd {
      try Data(bytes).write(to: URL(fileURLWithPath: file.path))
      chmod(file.path, 0o600)
      let ending = #expect(throws: ExitError.self) { try file.read() }
      #expect(ending?.code == .notLoggedIn && ending?.text.contains("holds no token") == true)
    }
    try Data(" \n".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(try file.read() == nil)
    file.remove()
    mkdir(file.path, 0o700)
    #expect(throws: ExitError.self) { try file.read() }
    rmdir(file.path)
    symlink("/dev/null", file.path)
    let ending = #expect(throws: ExitError.self) { try file.read() }
    #expect(ending?.text.contains("is a link") == true)
    // A login replaces each of them.
    try file.write("secret")
    #expect(try file.read() == "secret")
  }

  /// Folders below `base`, made: the state in `state`, the sockets in `runtime`.
  private static func prepared(
    _ base: String, state: String = "state", runtime: String = "run"
  ) throws -> ApplicationPaths {
    let paths = ApplicationPaths {
      ["XDG_STATE_HOME": "\(base)/\(state)", "XDG_RUNTIME_DIR": "\(base)/\(runtime)"][$0]
    }
    try ApplicationPaths.make(privately: paths.state)
    try paths.prepareRuntime()
    return paths
  }

  /// Leaves a socket without a listener.
  private static func leaveSocket(at path: String) throws {
    let program = """
      import socket, sys
      socket.socket(socket.AF_UNIX).bind(sys.argv[1])
      """
    _ = try Program.runBlocking("python3", ["-c", program, path])
  }

  @Test("a second controller in a runtime folder is refused with the first one's process")
  func lock() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let paths = try Self.prepared(base)
    // A socket file of an earlier controller, without a listener.
    try Self.leaveSocket(at: paths.socket)
    #expect(access(paths.socket, F_OK) == 0)
    let first = try ControllerLock(paths)
    #expect(access(paths.socket, F_OK) != 0)
    let ending = #expect(throws: ExitError.self) { try ControllerLock(paths) }
    #expect(ending?.text.contains("process \(getpid())") == true)
    // Another state folder does not change the socket.
    let other = try Self.prepared(base, state: "other")
    let runtime = #expect(throws: ExitError.self) { try ControllerLock(other) }
    #expect(runtime?.text.contains("the runtime folder \(paths.runtime)") == true)
    first.release()
    try ControllerLock(other).release()
    try ControllerLock(paths).release()
  }

  @Test("a second controller on a state folder is refused, whatever its runtime folder is")
  func stateLock() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let first = try ControllerLock(Self.prepared(base))
    let second = try Self.prepared(base, runtime: "elsewhere")
    let ending = #expect(throws: ExitError.self) { try ControllerLock(second) }
    #expect(ending?.code == .failed)
    #expect(
      ending?.text.hasPrefix(
        "a controller (process \(getpid())) uses the state folder \(second.state)") == true)
    // The refused controller has released its locks.
    first.release()
    try ControllerLock(second).release()
  }

  @Test("a second controller is refused although the files of both locks were removed or renamed")
  func removedLock() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let paths = try Self.prepared(base)
    let first = try ControllerLock(paths)
    #expect(rename(paths.stateLock, paths.stateLock + ".old") == 0)
    unlink(paths.lock)
    let ending = #expect(throws: ExitError.self) { try ControllerLock(paths) }
    #expect(
      ending?.text.hasPrefix("a controller uses the state folder \(paths.state)") == true)
    // A refused controller leaves no id of its own behind.
    #expect(access(paths.stateLock, F_OK) != 0)
    let other = try Self.prepared(base, state: "other")
    let runtime = #expect(throws: ExitError.self) { try ControllerLock(other) }
    #expect(runtime?.text.contains("uses the runtime folder \(paths.runtime)") == true)
    first.release()
    try ControllerLock(paths).release()
  }

  @Test("a lock follows no link and overwrites no other file")
  func foreignLock() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let paths = try Self.prepared(base)
    let treasure = URL(fileURLWithPath: base + "/treasure")
    for path in [paths.lock, paths.stateLock] {
      for text in ["do not lose this\n", "12 monkeys\n", "1234"] {
        try Data(text.utf8).write(to: treasure)
        for isLink in [true, false] {
          unlink(path)
          _ = isLink ? symlink(treasure.path, path) : link(treasure.path, path)
          let ending = #expect(throws: ExitError.self) { try ControllerLock(paths) }
          #expect(ending?.text.contains("\(path) is not the lock of a controller") == true)
          #expect(try String(contentsOf: treasure, encoding: .utf8) == text)
        }
      }
      unlink(path)
      mkfifo(path, 0o600)
      #expect(throws: ExitError.self) { try ControllerLock(paths) }
      unlink(path)
      mkdir(path, 0o700)
      #expect(throws: ExitError.self) { try ControllerLock(paths) }
      rmdir(path)
      try ControllerLock(paths).release()
    }
  }

  @Test("a file in place of the socket is named and kept")
  func socketPlace() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let paths = try Self.prepared(base)
    mkdir(paths.socket, 0o700)
    let folder = #expect(throws: ExitError.self) { try ControllerLock(paths) }
    #expect(folder?.text.contains("\(paths.socket) is a folder") == true)
    #expect(access(paths.socket, F_OK) == 0)
    rmdir(paths.socket)
    try Data("kept".utf8).write(to: URL(fileURLWithPath: paths.socket))
    let file = #expect(throws: ExitError.self) { try ControllerLock(paths) }
    #expect(file?.text.contains("is no socket") == true)
    #expect(try String(contentsOfFile: paths.socket, encoding: .utf8) == "kept")
    unlink(paths.socket)
    try ControllerLock(paths).release()
  }

  @Test("A10 · a named pipe in place of the token does not block", .timeLimit(.minutes(1)))
  func tokenPipe() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    mkfifo(base + "/token", 0o600)
    let ending = #expect(throws: ExitError.self) { try TokenFile(base + "/token").read() }
    #expect(ending?.text.contains("is no file") == true)
  }

  @Test("rejects a path that is too long for a socket")
  func longPath() throws {
    let temporary = try TemporaryFolder()
    let base = temporary.path
    let long = base + "/" + String(repeating: "x", count: 100)
    let paths = ApplicationPaths { ["HOME": base, "XDG_RUNTIME_DIR": long][$0] }
    let ending = #expect(throws: ExitError.self) { try paths.prepareRuntime() }
    #expect(ending?.text.contains("XDG_RUNTIME_DIR") == true)
  }
}
