import APIClient
import Foundation
import Glibc
import NIOHTTP1
import Platform
import TestSupport
import Testing

/// Commands that follow the events of the controller.
@Suite struct FollowTests {
  @Test("F5 · status --follow exits with 4 and the reason when another session ends its session")
  func endedSession() async throws {
    let room = try SmallTheater()
    try #require(await room.start())
    let other = try await room.registerOwner()
    let program = try await follow(room)
    #expect(try await other.send(.DELETE, "/api/v1/sessions/others").isSuccess)
    #expect(await program.waitForEnd())
    #expect(program.status == .exited(4))
    #expect(room.text("errors").contains("next: "))
    #expect(room.text("errors").contains(" login"))
    await room.close()
  }

  @Test("F5 · status --follow exits with 3 when the controller stops")
  func stoppedController() async throws {
    let room = try SmallTheater()
    try #require(await room.start())
    _ = try await room.registerOwner()
    let program = try await follow(room)
    await room.close()
    #expect(await program.waitForEnd())
    #expect(program.status == .exited(3))
    #expect(room.text("errors").contains("the controller has stopped"))
  }

  @Test("F5 · Ctrl-Z stops status --follow with the cursor shown; fg draws it again, and q ends it")
  func stoppedInTerminal() async throws {
    try await followInTerminal { terminal in
      #expect(!terminal.isOrdinary)
      terminal.type("\u{1A}")
      await terminal.expect(Self.shownCursor)
      await terminal.expect("[ended 148] icanon echo")
      terminal.type("fg\r")
      await terminal.expect(Self.hiddenCursor)
      await terminal.expect(Self.endOfScreen)
      terminal.type("xq")
      await terminal.expect(Self.shownCursor)
      await terminal.expect("[again 0] icanon echo")
    }
  }

  @Test("F5 · Ctrl-C ends status --follow with exit code 0 and shows the cursor")
  func interruptedInTerminal() async throws {
    try await followInTerminal { terminal in
      terminal.type("\u{3}")
      await terminal.expect(Self.shownCursor)
      await terminal.expect("[ended 0] icanon echo")
    }
  }

  /// Runs `status --follow` in a terminal, and `body` when it has drawn its screen.
  private func followInTerminal(_ body: (Terminal) async throws -> Void) async throws {
    let room = try SmallTheater()
    try #require(await room.start())
    _ = try await room.registerOwner()
    try await saveSession(room)
    let terminal = try Terminal(
      Program.products.appendingPathComponent("theater"), ["status", "--follow"],
      environment: room.environment)
    defer { terminal.close() }
    await terminal.expect(Self.hiddenCursor)
    await terminal.expect(Self.endOfScreen)
    try await body(terminal)
    await room.close()
  }

  private static let hiddenCursor = "\u{1B}[?25l"
  private static let shownCursor = "\u{1B}[?25h"
  private static let endOfScreen = "\u{1B}[J"

  /// Logs the owner in and stores the session for the commands of the room.
  private func saveSession(_ room: SmallTheater) async throws {
    let session = try await room.logIn()
    try Data(session.utf8).write(to: URL(fileURLWithPath: room.path("state/theater/token")))
    chmod(room.path("state/theater/token"), 0o600)
  }

  /// Runs `status --follow` in a new session of the owner, and waits until it has shown the status.
  private func follow(_ room: SmallTheater) async throws -> RunningProgram {
    try await saveSession(room)
    for name in ["followed", "errors"] {
      try Data().write(to: room.folder.appendingPathComponent(name))
    }
    let program = try RunningProgram(
      Program.products.appendingPathComponent("theater").path, ["status", "--follow"],
      environment: room.environment,
      output: .files(output: room.path("followed"), errors: room.path("errors")))
    #expect(await eventually { !room.text("followed").isEmpty })
    return program
  }
}
