import Devices
import Foundation
import Glibc
import JSON
@testable import PluginHost
import TestSupport
import Testing

@Suite("Applying another configuration to processes")
struct SwapProcessTests {
  private func pid(of plugin: String, in script: ScriptPlugin) async -> Int32? {
    await script.host.statuses().first { $0.plugin == plugin }?.pid
  }

  @Test(
    "F6 · an unchanged device keeps its process while another device of that process is swapped")
  func neighbour() async throws {
    let script = try ScriptPlugin(
      devices: [.lights("lamp", "Script"), .lights("spot", "Script")], others: ["Other"])
    var ended: [Int32] = []
    try await script.run { lamp in
      let spot = script.host.devices[1]
      try await lamp.perform(LightsCommand.dim(10))
      try await spot.perform(LightsCommand.dim(20))
      let first = try #require(await pid(of: "Script", in: script))
      for _ in 0..<3 {
        await script.host.apply(
          [.lights("lamp", "Script"), .lights("spot", "Other")], catalogue: script.catalogue)
        await waitForBrightness(20, of: spot)
        let other = try #require(await pid(of: "Other", in: script))
        #expect(other != first)
        await script.host.apply(
          [.lights("lamp", "Script"), .lights("spot", "Script")], catalogue: script.catalogue)
        #expect(kill(other, 0) == -1)
        await waitForBrightness(20, of: spot)
        #expect(await pid(of: "Script", in: script) == first)
      }
      #expect(await lamp.snapshot().generation == 1)
      #expect(await lamp.snapshot().state.brightness == 10)
      ended.append(first)
    }
    #expect(ended.allSatisfy { kill($0, 0) == -1 })
  }

  /// Python statements for a device that, like a sound card, only one process can hold: until the
  /// device is closed or the process ends.
  private static let exclusive = """
    import fcntl
    held = {}
    def opening(request):
        params = request["params"]
        file = open(params["options"]["card"], "w")
        try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            send({"id": request["id"], "error": {"code": -32000, "message": "the card is in use",
                "data": {"kind": "notNow"}}})
            return
        held[params["device"]] = file
        state(params["device"], power="on", brightness=0)
        reply(request, {"capabilities": []})
    def answer(request):
        method = request["method"]
        if method == "initialize": initialize(request)
        elif method == "open": opening(request)
        elif method == "perform": perform(request)
        elif method == "close":
            time.sleep(0.02)
            held.pop(request["params"]["device"]).close()
            reply(request, {})
        elif "id" in request: reply(request, {})
    """

  @Test(
    "A device is opened in its new process only once the old one has released it",
    arguments: [true, false])
  func released(hasNeighbour: Bool) async throws {
    let log = RecordedLog()
    func devices(_ plugin: String, in script: ScriptPlugin?) -> [HostedDevice] {
      let card: JSON = .string(folder.path + "/card")
      let neighbour: JSON = .string(folder.path + "/neighbour")
      return [.lights("lamp", plugin, options: ["card": card])]
        + (hasNeighbour ? [.lights("spot", "Script", options: ["card": neighbour])] : [])
    }
    let folder = try TemporaryFolder()
    let script = try ScriptPlugin(
      Self.exclusive, devices: devices("Script", in: nil), others: ["Other"], logger: log.logger)
    try await script.run { lamp in
      try await lamp.perform(LightsCommand.dim(10))
      for round in 1...6 {
        let plugin = round.isMultiple(of: 2) ? "Script" : "Other"
        await script.host.apply(devices(plugin, in: script), catalogue: script.catalogue)
        await script.host.waitUntilSettled()
        await waitForBrightness(10, of: lamp)
        #expect(await lamp.snapshot().generation == round + 1)
      }
      #expect(!log.lines.contains { $0.contains("the card is in use") })
    }
  }

  @Test("A plugin that hangs at a close is killed, and its other device is restored")
  func hangs() async throws {
    let script = try ScriptPlugin(
      """
      signal.signal(signal.SIGTERM, signal.SIG_IGN)
      def answer(request):
          method = request["method"]
          if method == "initialize": initialize(request)
          elif method == "open": opening(request)
          elif method == "perform": perform(request)
          elif method == "close":
              while True: time.sleep(1000)
          elif "id" in request: reply(request, {})
      """, devices: [.lights("lamp", "Script"), .lights("spot", "Script")], others: ["Other"])
    try await script.run { lamp in
      let spot = script.host.devices[1]
      try await lamp.perform(LightsCommand.dim(10))
      try await spot.perform(LightsCommand.dim(20))
      let first = try #require(await pid(of: "Script", in: script))
      await script.host.apply(
        [.lights("lamp", "Other"), .lights("spot", "Script")], catalogue: script.catalogue)
      #expect(kill(first, 0) == -1)
      await waitForBrightness(10, of: lamp)
      await waitForBrightness(20, of: spot)
    }
  }

  @Test("Stopping while a plugin hangs at a close leaves no process")
  func stopped() async throws {
    let script = try ScriptPlugin(
      """
      def answer(request):
          method = request["method"]
          if method == "initialize": initialize(request)
          elif method == "open": opening(request)
          elif method == "perform": perform(request)
          elif method == "close":
              state(request["params"]["device"], brightness=99)
              send({"method": "log", "params": {"message": "it hangs"}})
              while True: time.sleep(1000)
          elif "id" in request: reply(request, {})
      """, devices: [.lights("lamp", "Script"), .lights("spot", "Script")], others: ["Other"])
    var first: Int32 = 0
    try await withThrowingDiscardingTaskGroup { group in
      try await script.run { lamp in
        first = try #require(await pid(of: "Script", in: script))
        group.addTask {
          await script.host.apply(
            [.lights("lamp", "Other"), .lights("spot", "Script")], catalogue: script.catalogue)
        }
        // The old process is closing the lamp now.
        #expect(await script.waitUntilUnavailable().contains("swapped to the plugin Other"))
      }
    }
    #expect(kill(first, 0) == -1)
    #expect(await script.host.statuses().allSatisfy { $0.pid == nil })
  }

  @Test("Reports of a device that was closed change nothing, and are no reason to end the process")
  func lateReports() async throws {
    let log = RecordedLog()
    let script = try ScriptPlugin(
      """
      def answer(request):
          method = request["method"]
          if method == "initialize": initialize(request)
          elif method == "open": opening(request)
          elif method == "perform":
              if request["params"]["device"] == "spot":
                  for _ in range(20): state("lamp", brightness=99)
              perform(request)
          elif method == "close":
              for _ in range(20): state("lamp", brightness=99)
              reply(request, {})
          elif "id" in request: reply(request, {})
      """, devices: [.lights("lamp", "Script"), .lights("spot", "Script")], others: ["Other"],
      logger: log.logger)
    try await script.run { lamp in
      let first = try #require(await pid(of: "Script", in: script))
      try await lamp.perform(LightsCommand.dim(10))
      await script.host.apply(
        [.lights("lamp", "Other"), .lights("spot", "Script")], catalogue: script.catalogue)
      await script.host.waitUntilSettled()
      let spot = script.host.devices[1]
      #expect(await outcome(of: LightsCommand.dim(20), on: spot).success == .observed)
      await waitForBrightness(10, of: lamp)
      #expect(await pid(of: "Script", in: script) == first)
      #expect(!log.lines.contains { $0.contains("bad line") })
    }
  }

  @Test("The late answer of the old plugin does not end a command in the new one")
  func lateAnswer() async throws {
    // A request for the brightness 66 is answered only when the next one, for 67, arrives. The
    // requests to both plugins have the same numbers, so a late answer has the id of a current one.
    let script = try ScriptPlugin(
      """
      late = []
      def perform(request):
          level = request["params"]["command"]["dim"]
          if level == 66:
              late.append(request)
              return
          for old in late:
              device = old["params"]["device"]
              if "lamp" == device and "spot" == request["params"]["device"]:
                  send({"id": old["id"], "error": {"code": -32000, "message": "too late",
                      "data": {"kind": "refused"}}})
              else:
                  state(device, power="on", brightness=66)
                  reply(old, {})
          late.clear()
          state(request["params"]["device"], power="on", brightness=level)
          reply(request, {})
      """,
      devices: [
        .lights("lamp", "Script"), .lights("spot", "Script"), .lights("third", "Other"),
      ], others: ["Other"])
    try await script.run { lamp in
      let (spot, third) = (script.host.devices[1], script.host.devices[2])
      async let first = outcome(of: LightsCommand.dim(66), on: lamp)
      try #require(await eventually { (lamp as? DeviceProxy)?.commandsInHand.underWay != nil })
      await script.host.apply(
        [.lights("lamp", "Other"), .lights("spot", "Script"), .lights("third", "Other")],
        catalogue: script.catalogue)
      #expect(await first.failure?.message.contains("swapped") == true)
      await script.host.waitUntilSettled()
      async let second = outcome(of: LightsCommand.dim(66), on: lamp)
      try #require(await eventually { (lamp as? DeviceProxy)?.commandsInHand.underWay != nil })
      try await spot.perform(LightsCommand.dim(67))
      try await third.perform(LightsCommand.dim(67))
      #expect(await second.success == .observed)
    }
  }

  @Test(
    "Secrets of an added or removed device are hidden in the log and stderr of a running process")
  func secrets() async throws {
    let log = RecordedLog()
    let script = try ScriptPlugin(
      """
      said = []
      def opening(request):
          said.append(request["params"]["options"].get("password", "nothing"))
          for word in said:
              sys.stderr.write("now " + word + "\\n"); sys.stderr.flush()
              send({"method": "log", "params": {"message": "told " + word}})
          state(request["params"]["device"], power="on", brightness=0)
          reply(request, {"capabilities": []})
      """, devices: [.lights("lamp", "Script")], logger: log.logger)
    func spot(_ secret: String) -> HostedDevice {
      .lights("spot", "Script", options: ["password": .string(secret)], secrets: [secret])
    }
    try await script.run { _ in
      let first = try #require(await pid(of: "Script", in: script))
      for secret in ["sesame-street", "hunter-of-mice"] {
        await script.host.apply(
          [.lights("lamp", "Script"), spot(secret)], catalogue: script.catalogue)
        await script.host.waitUntilSettled()
      }
      #expect(await eventually { log.lines.count { $0.contains("stderr: now") } == 6 })
      let words = log.lines + (await script.host.statuses().flatMap(\.log))
      #expect(!words.contains { $0.contains("sesame") || $0.contains("hunter") }, "\(words)")
      #expect(words.count { $0.contains("[secret]") } == 12)
      #expect(await pid(of: "Script", in: script) == first)
    }
  }
}
