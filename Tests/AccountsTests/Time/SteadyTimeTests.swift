import Foundation
import Testing

@testable import Accounts

@Suite struct SteadyTimeTests {
  private func at(_ milliseconds: Int64, boot: String = "one") -> SteadyTime {
    SteadyTime(boot: boot, milliseconds: milliseconds)
  }

  @Test("measures time within one boot to the millisecond")
  func sameBoot() {
    #expect(at(5_000).age(of: at(2_000)) == .seconds(3))
    #expect(at(5_000).isWithin(.milliseconds(3_001), of: at(2_000)))
    #expect(!at(5_000).isWithin(.seconds(3), of: at(2_000)))
    #expect(at(5_000).remaining(of: .seconds(10), since: at(2_000)) == .seconds(7))
    #expect(at(5_000).remaining(of: .seconds(3), since: at(2_000)) == .zero)
  }

  @Test(
    "after a boot, or for a time in the future, the age is unknown and a wait begins anew",
    arguments: [
      SteadyTime(boot: "other", milliseconds: 0), SteadyTime(boot: "one", milliseconds: 5_001),
      SteadyTime(boot: "one", milliseconds: .min), SteadyTime(boot: "one", milliseconds: .max),
    ])
  func unknowable(_ then: SteadyTime) {
    let now = at(5_000)
    #expect(now.age(of: then) == nil)
    #expect(!now.isWithin(.seconds(600), of: then))
    #expect(now.remaining(of: .seconds(60), since: then) == .seconds(60))
    // A store replaces the unknown time by `now`, so the wait ends.
    #expect(at(35_000).remaining(of: .seconds(60), since: now) == .seconds(30))
  }

  @Test("the machine's clock goes forward in one boot")
  func system() throws {
    let one = SteadyClock.system.now()
    let other = SteadyClock.system.now()
    #expect(!one.boot.isEmpty)
    #expect(try #require(other.age(of: one)) >= .zero)
    let id = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    #expect(id.map { $0.hasPrefix(one.boot) } ?? true)
  }
}
