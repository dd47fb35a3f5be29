import Foundation
import Logging
import Storage
import TestSupport
import Testing

@testable import theater

@Suite(.timeLimit(.minutes(2))) struct BackupServiceTests {
  private func withBackups(_ body: (Backups) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      try TheaterDatabase(in: folder.path).close()
      try await body(Backups(of: folder.path))
    }
  }

  @Test("E5a · a backup that is due waits until nothing is on")
  func waitsForTheEnd() async throws {
    try await withBackups { backups in
      let (ends, end) = AsyncStream<Void>.makeStream()
      let (questions, question) = AsyncStream<Void>.makeStream()
      let service = BackupService(
        backups: backups, clock: ManualClock(), logger: Logger(label: "test")
      ) {
        question.yield()
        for await _ in ends { return }
      }
      async let made = service.makeBackup(at: Date())
      for await _ in questions { break }
      #expect(backups.all.isEmpty)
      end.yield()
      #expect(await made)
      #expect(backups.all.map(\.reason) == [.daily])
    }
  }

  @Test("E5a · a backup is made soon after the start, and the next one a day later")
  func daily() async throws {
    try await withBackups { backups in
      let (clock, wall) = (ManualClock(), ManualDate())
      let service = BackupService(
        backups: backups, clock: clock, date: { wall.now }, logger: Logger(label: "test")
      ) {}
      let run = Task { try await service.run() }
      // The wait reads the wall clock once a minute.
      func pass(_ seconds: Double) async {
        await clock.waitForSleepers()
        wall.advance(by: seconds)
        clock.advance(by: .seconds(60))
      }
      await pass(10)
      #expect(await eventually { backups.all.count == 1 })
      await pass(86_399)
      await clock.waitForSleepers()
      #expect(backups.all.count == 1)
      await pass(1)
      #expect(await eventually { backups.all.count == 2 })
      #expect(backups.all.allSatisfy { $0.reason == .daily })
      run.cancel()
      _ = await run.result
    }
  }

  @Test("E5a · a backup that is due waits at most six hours for the end of a film")
  func waitsWithinLimit() async throws {
    try await withBackups { backups in
      let clock = ManualClock()
      let service = BackupService(backups: backups, clock: clock, logger: Logger(label: "test")) {
        let (never, end) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        end.finish()
      }
      async let made = service.makeBackup(at: Date())
      await clock.waitForSleepers()
      clock.advance(by: BackupService.longestWait - .seconds(1))
      #expect(backups.all.isEmpty)
      clock.advance(by: .seconds(1))
      #expect(await made)
      #expect(backups.all.map(\.reason) == [.daily])
    }
  }
}
