import Glibc
import MediaFolders
import Synchronization
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Disks that are slow", .realTime)
struct BusyDiskTests {
  @Test("Many commands wait for a disk that spins up, and none of them fails")
  func spinUp() async throws {
    let disk = DiskReader(patience: 20_000)
    let (started, isReady) = (Counter(), Flag())
    let calls = (0..<10).map { number in
      Task { () async throws -> Int in
        try await disk.run(on: "/slow", name: "test") { () throws(MediaFailure) in
          started.increase()
          while !isReady.value { usleep(1_000) }
          return number
        }
      }
    }
    try #require(await eventually { started.value == 4 })
    isReady.set()
    for (number, call) in calls.enumerated() { #expect(try await call.value == number) }
  }

  @Test("A command that finds no place within its time fails")
  func full() async throws {
    let disk = DiskReader(patience: 20_000)
    let (started, isReady) = (Counter(), Flag())
    let calls = (0..<4).map { _ in
      Task { () async throws -> Void in
        try await disk.run(on: "/slow", name: "test") { () throws(MediaFailure) in
          started.increase()
          while !isReady.value { usleep(1_000) }
        }
      }
    }
    try #require(await eventually { started.value == 4 })
    let failure = await #expect(throws: MediaFailure.self) {
      try await disk.run(on: "/slow", name: "test", milliseconds: 50) { () throws(MediaFailure) in
      }
    }
    #expect(failure?.kind == .unreachable)
    isReady.set()
    for call in calls { try await call.value }
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock(\.self) }
  func increase() { count.withLock { $0 += 1 } }
}

private final class Flag: Sendable {
  private let isSet = Mutex(false)
  var value: Bool { isSet.withLock(\.self) }
  func set() { isSet.withLock { $0 = true } }
}
