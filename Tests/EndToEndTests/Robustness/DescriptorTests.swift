import APIClient
import Foundation
import Glibc
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// A controller that has few descriptors, or none left.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DescriptorTests {
  private static func limiting(to count: Int) -> [String] {
    ["/bin/sh", "-c", "ulimit -n \(count); exec \"$@\"", "sh"]
  }

  /// The user and system time of a process so far, in seconds.
  private static func processorTime(of pid: pid_t) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
    return ticks / Double(sysconf(CInt(_SC_CLK_TCK)))
  }

  private static func setLimit(of theater: SmallTheater, to limit: String) async throws {
    let outcome = try await Program.tool("prlimit", "--pid", "\(theater.pid)", "--nofile=\(limit)")
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "with too few descriptors the controller does not start, and says how to get more",
    arguments: [16, 24, 40, 47, 64, 127])
  func tooFew(count: Int) async throws {
    let theater = try SmallTheater { _ in Self.limiting(to: count) }
    #expect(try await theater.start() == false)
    #expect(
      await eventually { theater.text("log").contains("ulimit -n") }, "\(theater.text("log"))")
    #expect(!theater.text("log").contains("Fatal error"))
    await theater.close()
  }

  @Test("with the fewest descriptors that it accepts the controller works")
  func fewest() async throws {
    let theater = try SmallTheater { _ in Self.limiting(to: 128) }
    #expect(try await theater.start(), "\(theater.text("log"))")
    let owner = try await theater.registerOwner()
    let answer = try await owner.send(.POST, "/api/v1/devices/lights/commands", ["dim": 20])
    #expect(answer.isSuccess, "\(answer.json)")
    await theater.close()
  }

  @Test("out of descriptors each client is told so at once, and no thread is busy")
  func noneLeft() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    let owner = try await theater.registerOwner()
    let limit = try Self.descriptors(of: theater.pid).count + 3
    try await Self.setLimit(of: theater, to: "\(limit):4096")
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Open streams take what is left.
      for _ in 0..<6 { group.addTask { _ = try? await owner.listen { _ in true } } }
      let areUsed = await eventually {
        let used = try? Self.descriptors(of: theater.pid)
        return used.map { Set(0..<limit).isSubset(of: $0) } ?? false
      }
      #expect(areUsed)
      let before = try Self.processorTime(of: theater.pid)
      let began = ContinuousClock.now
      repeat {
        let answer = try await owner.send(.GET, "/api/v1/status")
        #expect(answer.status == 503, "\(answer.json)")
        #expect(answer.json["error"]?["message"]?.string?.contains("descriptor") == true)
      } while ContinuousClock.now - began < .seconds(3)
      let used = try Self.processorTime(of: theater.pid) - before
      let time = (ContinuousClock.now - began) / .seconds(1)
      #expect(used < 0.3 * time, "\(used) s of \(time) s")
      try await Self.setLimit(of: theater, to: "4096:4096")
      #expect(await eventually { (try? await owner.send(.GET, "/api/v1/status").status) == 200 })
      group.cancelAll()
    }
    await theater.close()
  }

  /// The numbers of the open descriptors of a process.
  private static func descriptors(of pid: pid_t) throws -> Set<Int> {
    Set(
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").compactMap { Int($0) })
  }
}
