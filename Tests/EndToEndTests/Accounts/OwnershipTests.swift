import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Ownership of the socket and of the state folder.
@Suite struct OwnershipTests {
  /// A listener that records all received bytes, optionally as another user.
  private final class FakeController {
    let received: URL
    private let program: RunningProgram

    private static let program = """
      import os, socket, sys
      path, kept, user, owner = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(path)
      os.chmod(path, 0o700)
      if owner: os.chown(path, owner, owner)
      file = open(kept, "wb", buffering=0)
      if user: os.seteuid(user)
      listener.listen(8)
      print("listening", flush=True)
      while True:
          client, _ = listener.accept()
          client.settimeout(20)
          try:
              while True:
                  data = client.recv(65536)
                  if not data: break
                  file.write(data)
                  client.sendall(b"HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\n{}")
          except OSError: pass
          client.close()
      """

    /// - Parameters:
    ///   - user: Listens as this user; 0 for the user who runs the test.
    ///   - owner: Owns the socket's file.
    init(at socket: String, in folder: URL, user: uid_t = 0, owner: uid_t = 0) async throws {
      received = folder.appendingPathComponent("received")
      program = try RunningProgram(
        "python3", ["-c", Self.program, socket, received.path, "\(user)", "\(owner)"])
      #expect(try program.line() == "listening")
    }

    /// Ends the listener.
    /// - Returns: The received bytes.
    func end() async throws -> Data {
      program.end()
      #expect(await program.waitForEnd())
      return try Data(contentsOf: received)
    }
  }

  private static let nobody: uid_t = 65_534
  private static let password = "a password that must not be sent"
  private static let token = "a-token-that-must-not-be-sent"

  /// Runs commands that would send a password or a token, and expects that they send nothing.
  private func expectRefusal(
    in folder: URL, because reason: String, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_RUNTIME_DIR"] = folder.appendingPathComponent("run").path
    environment["XDG_STATE_HOME"] = folder.appendingPathComponent("state").path
    let program = Program.products.appendingPathComponent("theater")
    for words in [["login", "--email", "ann@example.org", "--password-stdin"], ["status"]] {
      let outcome = try await Program.run(
        program, words, environment: environment, input: Self.password + "\n")
      #expect(outcome.status == 1, "\(outcome.output)", sourceLocation: location)
      #expect(outcome.errors.contains(reason), "\(outcome.errors)", sourceLocation: location)
      #expect(outcome.errors.lowercased().contains("nothing was sent"), sourceLocation: location)
    }
  }

  /// Runs `body` with a folder that has a token, and with a path for a socket.
  private func withPlace(_ body: (URL, String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      for name in ["run/theater", "state/theater"] {
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent(name), withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
      let token = folder.appendingPathComponent("state/theater/token")
      try Data(Self.token.utf8).write(to: token)
      chmod(token.path, 0o600)
      try await body(folder, folder.appendingPathComponent("run/theater/theater.sock").path)
    }
  }

  @Test(
    "sends no password or token to a socket in another user's folder",
    .enabled(if: geteuid() == 0, "needs a second user"))
  func foreignFolder() async throws {
    try await withPlace { folder, socket in
      let fake = try await FakeController(at: socket, in: folder, user: Self.nobody)
      chown(folder.appendingPathComponent("run/theater").path, Self.nobody, Self.nobody)
      try await expectRefusal(in: folder, because: "belongs to user \(Self.nobody)")
      #expect(try await fake.end().isEmpty)
    }
  }

  @Test(
    "sends no password or token to another user's socket",
    .enabled(if: geteuid() == 0, "needs a second user"))
  func foreignSocket() async throws {
    try await withPlace { folder, socket in
      let fake = try await FakeController(at: socket, in: folder, owner: Self.nobody)
      try await expectRefusal(in: folder, because: "\(socket) belongs to user \(Self.nobody)")
      #expect(try await fake.end().isEmpty)
    }
  }

  @Test(
    "sends no password or token to another user's process behind the user's own socket",
    .enabled(if: geteuid() == 0, "needs a second user"))
  func foreignProcess() async throws {
    try await withPlace { folder, socket in
      let fake = try await FakeController(at: socket, in: folder, user: Self.nobody)
      try await expectRefusal(
        in: folder, because: "that answers at \(socket) belongs to user \(Self.nobody)")
      #expect(try await fake.end().isEmpty)
    }
  }

  @Test("sends no password or token where others could put a socket")
  func openPlaces() async throws {
    try await withPlace { folder, socket in
      let place = folder.appendingPathComponent("run/theater").path
      let fake = try await FakeController(at: socket, in: folder)
      chmod(place, 0o770)
      try await expectRefusal(in: folder, because: "others may write in \(place)")
      chmod(place, 0o700)
      chmod(socket, 0o777)
      try await expectRefusal(in: folder, because: "others may connect to \(socket)")
      chmod(socket, 0o700)
      rename(place, place + "-real")
      symlink(place + "-real", place)
      try await expectRefusal(in: folder, because: "\(place) is a link, not a folder")
      unlink(place)
      rename(place + "-real", place)
      rename(socket, socket + "-real")
      symlink(socket + "-real", socket)
      try await expectRefusal(in: folder, because: "\(socket) is a link, not a socket")
      unlink(socket)
      mkdir(socket, 0o700)
      try await expectRefusal(in: folder, because: "\(socket) is a folder, not a socket")
      #expect(try await fake.end().isEmpty)
    }
  }

  @Test("a second controller on the same state folder is refused, also after kill -9")
  func stateFolder() async throws {
    let room = try SmallTheater()
    try #require(await room.start())
    var environment = room.environment
    environment["XDG_RUNTIME_DIR"] = room.path("other")
    mkdir(room.path("other"), 0o700)
    let program = Program.products.appendingPathComponent("theater")
    let state = room.path("state/theater")
    for _ in 1...2 {
      let second = try await Program.run(
        program,
        ["serve", "--config", room.path("devices.json"), "--port", "0"]
          + ["--plugins", room.path("plugins")], environment: environment, limit: 60)
      #expect(second.status == 1)
      #expect(
        second.errors.contains("a controller (process \(room.pid)) uses the state folder \(state)"),
        "\(second.errors)")
      // The restore command sees the lock as well, wherever its runtime folder is.
      let backup = try await Program.run(program, ["backup", "create"], environment: environment)
      #expect(backup.status == 0, "\(backup.errors)")
      let restore = try await Program.run(program, ["backup", "restore"], environment: environment)
      #expect(restore.status == 1)
      #expect(restore.errors.contains("A controller uses the database in \(state)"))
      // Unlocking works beside a controller, as it is documented.
      let unlock = try await Program.run(
        program, ["accounts", "unlock", "ann@example.org"], environment: environment)
      #expect(!unlock.errors.contains("A controller uses"), "\(unlock.errors)")
      await room.crash()
      try #require(await room.start())
    }
    await room.close()
  }
}
