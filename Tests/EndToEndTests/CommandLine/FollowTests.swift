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

  /// Runs `status --follow` in a new session of the owner, and waits until it has shown the status.
  private func follow(_ room: SmallTheater) async throws -> RunningProgram {
    let session = try await room.logIn()
    try Data(session.utf8).write(to: URL(fileURLWithPath: room.path("state/theater/token")))
    chmod(room.path("state/theater/token"), 0o600)
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
