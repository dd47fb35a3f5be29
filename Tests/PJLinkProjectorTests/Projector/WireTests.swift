import Devices
import Foundation
import Glibc
import JSON
import PJLink
import Platform
import PluginKit
import PluginProtocol
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PJLinkProjector

/// The plugin, over real sockets, with the projectors of Tests/Fixtures/pjlink_projector.py. Only the tests advance its
/// clock, so that the plugin does not take a busy machine for a silent projector.
@Suite("A projector in the network", .timeLimit(.minutes(2)))
struct WireTests {
  private let clock = ManualClock()

  /// Advances the clock by 250 ms for every 50 ms of real time, until `condition` holds. Returns false after 60 s of
  /// real time.
  private func advanceUntil(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
    for _ in 0..<1200 {
      if await eventually(within: 0.05, condition) { return true }
      clock.advance(by: .milliseconds(250))
    }
    return false
  }

  /// Advances the clock until `body` has ended, and returns its error.
  private func advanceDuring(
    _ body: @escaping @Sendable () async -> RPCError?
  ) async -> RPCError? {
    let outcome = Outcome()
    async let isEnded: Void = outcome.set(body())
    #expect(await advanceUntil { outcome.error.withLock { $0 != nil } })
    await isEnded
    return outcome.error.withLock { $0 } ?? nil
  }

  /// The outcome of a call; nil before its end.
  private final class Outcome: Sendable {
    let error = Mutex<RPCError??>(nil)
    func set(_ outcome: RPCError?) { error.withLock { $0 = .some(outcome) } }
  }

  @Test(
    "E15 · a projector turns on, selects inputs and turns off, whatever its authentication",
    arguments: [
      ("none", 1, "none"), ("none", 2, "none"), ("md5", 1, "MD5"), ("sha256", 2, "SHA-256"),
    ])
  func evening(authentication: String, pjlinkClass: Int, method: String) async throws {
    let projector = try await ProjectorFixture([
      "authentication": .string(authentication), "class": .integer(pjlinkClass),
      "warmUp": "manual", "coolDown": "manual",
    ])
    let bench = ProjectorBench(clock: clock)
    let options: JSON = [
      "password": "JBMIAProjectorLink", "tvInput": "32", "wideScreenInput": "31",
      "authentication": authentication == "md5" ? "md5" : "auto",
    ]
    #expect(await bench.open(projector.port, options) == nil)
    #expect(bench[.power] == "off")
    #expect(await bench.perform("on") == nil)
    #expect(bench[.power] == "warming")
    #expect(await bench.perform("off")?.kind == "notNow")
    try await projector.change(["finish": true])
    #expect(await advanceUntil { bench[.power] == "on" })
    #expect(await bench.perform("tvMode") == nil)
    #expect(bench[.picture] == "tv" && bench.provenance(of: .picture) == .reported)
    #expect(await bench.perform("off") == nil)
    #expect(bench[.power] == "cooling")
    #expect(await bench.perform("on")?.kind == "notNow")
    #expect(bench.attribute("authentication") == .string(method))
    try await projector.settle()
    #expect(
      projector.commands.filter { !$0.hasSuffix("?") && $0.hasPrefix("%") }
        == ["%1POWR 1", "%1INPT 32", "%1POWR 0"])
  }

  @Test("The attributes are those of the projector")
  func attributes() async throws {
    let projector = try await ProjectorFixture(["power": "1", "mute": "31", "errors": "000010"])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port) == nil)
    #expect(await eventually { bench.attribute("filterHours") != nil })
    let wanted: [String: JSON] = [
      "name": "Rück-Projektor", "manufacturer": "Test Works", "model": "TP-1", "lampHours": 412,
      "lamp2Hours": 8, "filterHours": 120, "mute": "video and audio", "errors": "filter warning",
      "input": "31", "inputs": "11, 31, 32", "pjlinkClass": "2",
    ]
    for (name, value) in wanted { #expect(bench.attribute(name) == value, "\(name)") }
  }

  @Test("A projector that does not answer to SHA-256 is reached with MD5, and that is remembered")
  func fallsBack() async throws {
    let projector = try await ProjectorFixture(["authentication": "md5", "odd": ["close"]])
    let bench = ProjectorBench(clock: clock)
    async let refusal = bench.open(
      projector.port, ["password": "JBMIAProjectorLink"])
    #expect(await eventually { projector.commands == ["PJLINK 2"] })
    await clock.waitForSleepers()
    clock.advance(by: ProjectorLink.challengeTime)
    #expect(await refusal == nil)
    #expect(await bench.perform("on") == nil)
    #expect(await eventually { bench.attribute("authentication") == "MD5" })
    try await projector.settle()
    #expect(projector.commands.count { $0 == "PJLINK 2" } == 1)
  }

  @Test("A wrong password is refused after one try", arguments: ["md5", "sha256"])
  func wrongPassword(authentication: String) async throws {
    let projector = try await ProjectorFixture(["authentication": .string(authentication)])
    let bench = ProjectorBench(clock: clock)
    let error = await bench.open(
      projector.port, ["password": "wrong", "authentication": .string(authentication)])
    #expect(error?.kind == "invalid")
    #expect(error?.message == "the projector refuses the password")
    try await projector.settle()
    #expect(projector.opened == 1)
    #expect(await bench.open(projector.port)?.message.contains("none is configured") == true)
  }

  @Test(
    "After a change of the projector's password, the old one is refused once and not tried again")
  func changedPassword() async throws {
    let projector = try await ProjectorFixture(["authentication": "sha256"])
    let bench = ProjectorBench(clock: clock)
    #expect(
      await bench.open(projector.port, ["password": "JBMIAProjectorLink"]) == nil)
    try await projector.change(["password": "other", "drop": true])
    #expect(await bench.perform("on")?.kind == "refused")
    #expect(bench.provenance(of: .power) == .unknown)
    #expect(bench.attribute("problem")?.string?.contains("refuses the password") == true)
    try await projector.settle()
    let connections = projector.opened
    clock.advance(by: .seconds(1000))
    #expect(await bench.perform("on")?.kind == "refused")
    try await projector.settle()
    #expect(projector.opened == connections)
  }

  @Test(
    "Commands work with slow, split, merged and meaningless packets",
    arguments: [
      "slow", "split", "merged", "garbage", "close", "late", "one-class", "blanks", "line-feeds",
    ])
  func oddPackets(odd: String) async throws {
    let projector = try await ProjectorFixture(["class": 1, "odd": [.string(odd)]])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port, ["wideScreenInput": "32"]) == nil)
    #expect(await bench.perform("on") == nil)
    #expect(await advanceUntil { bench[.power] == "on" })
    #expect(await bench.perform("wideScreenMode") == nil)
    #expect(bench[.picture] == "wideScreen")
    #expect(await eventually { bench.attribute("lampHours") == 412 })
    let isGarbage = odd == "merged" || odd == "garbage"
    #expect(bench.log.contains { $0.contains("answers no request") } == isGarbage)
  }

  @Test("A projector that greets after nine seconds opens")
  func lateGreeting() async throws {
    let projector = try await ProjectorFixture(["odd": ["held-greeting"]])
    let bench = ProjectorBench(clock: clock)
    async let refusal = bench.open(projector.port)
    #expect(await eventually { projector.opened == 1 })
    await clock.waitForSleepers()
    clock.advance(by: .seconds(9))
    try await projector.change(["greet": true])
    #expect(await refusal == nil)
    #expect(bench[.power] == "off" && bench.provenance(of: .power) == .reported)
  }

  @Test("A projector that says \"not now\" to everything but on in standby is turned on and off")
  func hiddenStandby() async throws {
    let projector = try await ProjectorFixture(["odd": ["hide-standby"]])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port, ["coolDown": 0]) == nil)
    #expect(bench[.power] == "off" && bench.provenance(of: .power) == .assumed)
    #expect(await bench.perform("off") == nil)
    #expect(await bench.perform("on") == nil)
    #expect(bench[.power] == "on" && bench.provenance(of: .power) == .reported)
    #expect(await bench.perform("off") == nil)
    #expect(await advanceUntil { bench[.power] == "off" })
    #expect(bench.provenance(of: .power) == .assumed)
  }

  @Test(
    "Opening a silent projector fails, with a hint",
    arguments: ["half-open", "silent", "endless"])
  func silentAtOpening(odd: String) async throws {
    let projector = try await ProjectorFixture(["odd": [.string(odd)]])
    let bench = ProjectorBench(clock: clock)
    let error = await advanceDuring { await bench.open(projector.port) }
    #expect(error?.kind == "unavailable")
    #expect(error?.data?["hint"]?.string?.isEmpty == false)
  }

  @Test("Opening a projector that floods fails, and succeeds after the flood")
  func flood() async throws {
    let projector = try await ProjectorFixture(["odd": ["flood"]])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port)?.kind == "unavailable")
    try await projector.change(["odd": []])
    #expect(await bench.open(projector.port) == nil)
  }

  @Test(
    "E15 · the state of a projector that falls silent is unknown, until it answers again",
    arguments: ["silent", "endless"])
  func silence(odd: String) async throws {
    let projector = try await ProjectorFixture(["power": "1"])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port) == nil)
    #expect(await eventually { bench.attribute("filterHours") != nil })
    try await projector.change(["odd": [.string(odd)]])
    try await projector.settle()
    let before = projector.opened
    let refusal = await advanceDuring { await bench.perform("off") }
    #expect(refusal?.kind == "unavailable")
    try await projector.settle()
    #expect(projector.opened > before, "it is asked again on a new connection")
    #expect(bench.provenance(of: .power) == .unknown)
    #expect(bench.attribute("problem")?.string != nil)
    try await projector.change(["odd": []])
    #expect(await advanceUntil { bench.provenance(of: .power) == .reported })
    #expect(bench[.power] == "on")
    #expect(bench.attribute("problem")?.isNull == true)
  }

  @Test(
    "E15 · on succeeds with a projector that is silent while it warms, and is reported afterwards")
  func silentWhileWarming() async throws {
    let projector = try await ProjectorFixture(["warmUp": "manual", "odd": ["mute-warming"]])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port) == nil)
    let before = projector.commands.count
    let refusal = Task { await bench.perform("on") }
    // The query after the command shows that the plugin has received the command's reply. Only then the clock advances.
    #expect(
      await eventually {
        let commands = projector.commands.dropFirst(before)
        return commands.firstIndex(of: "%1POWR 1").map { $0 + 1 < commands.endIndex } == true
      })
    #expect(await advanceDuring { await refusal.value } == nil)
    #expect(bench.provenance(of: .power) == .unknown)
    try await projector.change(["finish": true])
    #expect(await advanceUntil { bench[.power] == "on" })
    #expect(bench.provenance(of: .power) == .reported)
  }

  @Test("E15 · a projector that ignores commands while it cools gets none until it is off")
  func ignoresWhileCooling() async throws {
    let projector = try await ProjectorFixture([
      "power": "1", "coolDown": "manual", "odd": ["ignore-cooling"],
    ])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port) == nil)
    #expect(bench[.power] == "on")
    // Its own remote control turns it off between two queries of the state.
    try await projector.change(["press": "0"])
    let refusal = await bench.perform("on")
    #expect(refusal?.kind == "notNow")
    #expect(refusal?.data?["retryAfter"]?.number ?? 0 >= 1)
    #expect(bench[.power] == "cooling")
    try await projector.settle()
    #expect(!projector.commands.contains("%1POWR 1"))
    try await projector.change(["finish": true])
    #expect(await bench.perform("on") == nil)
    #expect(await advanceUntil { bench[.power] == "on" })
  }

  @Test("E15 · a projector that says \"not now\" is asked a few times, then the command fails")
  func notNow() async throws {
    let projector = try await ProjectorFixture(["odd": ["not-now"]])
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port) == nil)
    for _ in 0..<ProjectorModel.mostRefusals {
      let refusal = await bench.perform("on")
      #expect(refusal?.kind == "notNow" && refusal?.data?["retryAfter"] != nil)
    }
    let last = await bench.perform("on")
    #expect(last?.kind == "refused" && last?.message.contains("ERR3") == true)
    try await projector.settle()
    #expect(projector.commands.count { $0 == "%1POWR 1" } == ProjectorModel.mostRefusals + 1)
    #expect(bench[.power] == "off")
    try await projector.change(["odd": []])
    #expect(await bench.perform("on") == nil)
    #expect(await advanceUntil { bench[.power] == "on" })
  }

  @Test("Commands succeed after a lost connection and after a restart of the projector")
  func restart() async throws {
    let projector = try ProjectorFixture()
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port) == nil)
    for change in ["drop", "restart"] {
      for command in ["on", "off"] {
        try await projector.change([change: true])
        #expect(await bench.perform(command) == nil)
        #expect(bench[.power] == .string(command))
      }
    }
    #expect(bench.provenance(of: .power) == .reported)
  }

  @Test("The self-check passes where sockets can be opened, and otherwise says what to allow")
  func selfCheck() {
    #expect(PJLinkProjector.check() == .passed)
    let refused = PJLinkProjector.check([-1])
    guard case .failed(let problem, hint: let hint) = refused else {
      Issue.record("\(refused)")
      return
    }
    #expect(problem.hasPrefix("no connection in the network can be opened: "))
    #expect(hint.contains("RestrictAddressFamilies"))
  }

  @Test("Opening a stopped projector fails at once, and the error has its address")
  func gone() async throws {
    let projector = try await ProjectorFixture(["stop": true])
    let error = await ProjectorBench(clock: clock).open(projector.port)
    #expect(error?.kind == "unavailable")
    #expect(
      error?.message == "there is no connection to 127.0.0.1:\(projector.port): Connection refused")
  }

  @Test("The connection is closed when it is idle, and opened again for the next command")
  func idle() async throws {
    let projector = try ProjectorFixture()
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port, ["polling": 3600]) == nil)
    #expect(await eventually { bench.attribute("filterHours") != nil })
    try await projector.settle()
    #expect(projector.opened == 1)
    #expect(projector.closed == 0)
    await clock.waitForSleepers()
    clock.advance(by: ProjectorLink.idleTime)
    #expect(await eventually { projector.closed == 1 })
    #expect(await bench.perform("on") == nil)
    #expect(await eventually { projector.opened == 2 })
    #expect(await bench.close() == nil)
    #expect(await eventually { projector.closed == 2 })
  }

  @Test("F1 · closing does not wait for a projector that hangs")
  func closesWhileHanging() async throws {
    let projector = try ProjectorFixture()
    let bench = ProjectorBench(clock: clock)
    #expect(await bench.open(projector.port) == nil)
    #expect(await eventually { bench.attribute("filterHours") != nil })
    try await projector.change(["odd": ["silent"]])
    try await projector.settle()
    let before = projector.commands.count
    async let refusal = bench.perform("on")
    #expect(await eventually { projector.commands.count > before })
    #expect(await bench.close() == nil)
    #expect(await refusal?.kind == "cancelled")
    #expect(projector.opened > 0)
    #expect(await eventually { projector.closed == projector.opened })
  }

  @Test("F1 · 200 new connections leave no descriptor and no thread behind")
  func descriptors() async throws {
    signal(SIGPIPE, SIG_IGN)
    let projector = try await ProjectorFixture(["odd": ["close"]])
    let program = Program.products.appendingPathComponent("PJLinkProjector").path
    let child = try ChildProcess(ProgramStart(program, [], input: .pipe, output: .pipe))
    defer {
      child.signal(SIGKILL)
      _ = child.wait()
    }
    let bench = ProjectorBench(
      connection: StreamConnection(reading: child.output, writing: child.input))
    // This plugin uses the machine's clock, so on a busy machine the projector may answer too late. Then try again.
    #expect(await eventually { await bench.open(projector.port, ["polling": 3600]) == nil })
    #expect(await eventually { bench.attribute("filterHours") != nil })
    let id = child.id
    let count = { @Sendable in Self.count("/proc/\(id)/fd") + Self.count("/proc/\(id)/task") }
    for _ in 0..<5 { #expect(await eventually { await bench.perform("on") == nil }) }
    let before = count()
    for _ in 0..<200 { #expect(await eventually { await bench.perform("on") == nil }) }
    #expect(await eventually(within: 20) { count() <= before + 2 }, "\(before), then \(count())")
  }

  private static func count(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
}
