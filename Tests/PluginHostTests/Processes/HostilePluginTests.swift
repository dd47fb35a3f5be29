import Devices
import JSON
import PluginHost
import PluginProtocol
import TestSupport
import Testing

@Suite("Plugins that flood the controller")
struct HostilePluginTests {
  /// Expects that the plugin's status comes to hold these words.
  private func status(
    of plugin: ScriptPlugin, _ words: String, _ sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let isTold = await eventually {
      ((try? await plugin.status().lastMessage) ?? nil)?.contains(words) == true
    }
    let last = try await plugin.status().lastMessage ?? "nothing"
    #expect(isTold, "\(last)", sourceLocation: sourceLocation)
  }

  @Test("Keeps 64 of ever new attributes, with one warning in the log and the status")
  func attributes() async throws {
    let log = RecordedLog()
    let plugin = try ScriptPlugin(
      """
      def attributes(device, found):
          send({"method": "state", "params": {"device": device, "attributes": found}})
      def perform(request):
          device = request["params"]["device"]
          for i in range(3000): attributes(device, {"name %d" % i: {"value": i, "label": "x" * 99}})
          for i in range(3):
              attributes(device, {"page %d %d" % (i, k): {"value": "x" * 500} for k in range(1500)})
          attributes(device, {"huge": {"value": "x" * 900000}, "list": {"value": list(range(9999))}})
          state(device, power="on", brightness=100)
          reply(request, {})
      """, clock: ManualClock(), logger: log.logger)
    try await plugin.run { lamp in
      for _ in 0..<2 {
        #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      }
      let kept = await lamp.snapshot().state.attributes
      #expect(kept.count == ProtocolLimits.attributes)
      let size = kept.reduce(0) { $0 + $1.value.byteCount(name: $1.key) }
      #expect(size <= ProtocolLimits.attributeBytes)
      try await status(of: plugin, "lamp: its plugin reports")
      let said = log.lines.filter { $0.contains("attributes") }
      #expect(said.count == 1, "\(said)")
    }
  }

  @Test("Values out of range and keys of other roles are not shown, with one warning each")
  func values() async throws {
    let log = RecordedLog()
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          device = request["params"]["device"]
          for i in range(50):
              state(device, brightness=-5)
              state(device, power="x" * 100000)
              state(device, playback={"state": "playing", "item": "x" * 100000})
              state(device, volume=1e300)
          state(device, power="on", brightness=100)
          reply(request, {})
      """, clock: ManualClock(), logger: log.logger)
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      let state = await lamp.snapshot().state
      #expect(state.brightness == 100 && state.power == .on)
      #expect(Set(state.readings.keys) == [.power, .brightness])
      let said = log.lines.filter { $0.contains("its plugin reports") }
      #expect(said.count == 3 && said.allSatisfy { $0.utf8.count < 500 }, "\(said)")
      try await status(of: plugin, "its plugin reports")
    }
  }

  @Test("A 200 kB error message is cut, wherever it is shown")
  func longErrors() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          send({"id": request["id"], "error": {"code": -32000, "message": "no " * 70000,
              "data": {"kind": "refused", "hint": "why " * 50000}}})
      """, clock: ManualClock())
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.code == .refused)
      #expect(error.message.hasPrefix("no no") && error.message.hasSuffix("…"))
      #expect(error.message.utf8.count <= ProtocolLimits.message)
      #expect(try #require(error.hint).utf8.count <= ProtocolLimits.message)
    }
  }

  @Test("Endless pages: 100,000 items are kept, with one warning in the log and the status")
  func endlessPages() async throws {
    let log = RecordedLog()
    let plugin = try ScriptPlugin(
      """
      page = json.dumps([{"id": "%d" % i, "title": "x"} for i in range(20000)])
      def answer(request):
          method = request["method"]
          if method == "initialize": initialize(request)
          elif method == "open": opening(request)
          elif method == "scan":
              print('{"jsonrpc": "2.0", "id": %d, "result": {"next": "on", "items": %s}}'
                  % (request["id"], page), flush=True)
          elif "id" in request: reply(request, {})
      """, devices: [HostedDevice(id: "cd", role: .cdPlayer, plugin: "Script")],
      manifest: ScriptPlugin.playerManifest, clock: ManualClock(), logger: log.logger)
    try await plugin.run { cd in
      let media = try #require(cd.facet((any MediaSource).self))
      for _ in 0..<2 {
        let items = try await media.listCatalogue(folder: nil).items
        #expect(items.count == ProtocolLimits.catalogueItems)
      }
      try await status(of: plugin, "its catalogue is cut after 100000 items")
      #expect(log.lines.count { $0.contains("its catalogue is cut") } == 1)
    }
  }

  @Test(
    "A flood of lines that are no messages: ten are logged and counted, short; then it is ended")
  func badLines() async throws {
    let log = RecordedLog()
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          signal.signal(signal.SIGTERM, signal.SIG_IGN)
          for _ in range(12): print("{\\"" + "x" * 50000 + "\\": 1, nonsense", flush=True)
          for _ in range(50000): print("nonsense")
          sys.stdout.flush()
          time.sleep(1000)
      """, logger: log.logger)
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.code == .unavailable && error.message.utf8.count < 2000)
      await plugin.waitForGeneration(2)
      let said = log.lines.filter { $0.contains("bad line") }
      #expect(said.count == ProtocolLimits.badLines)
      #expect(said.allSatisfy { $0.utf8.count < 2 * ProtocolLimits.message })
    }
  }

  @Test("Marks in a row without an end: ten such lines restart it, and one message says why")
  func marksInARow() async throws {
    let log = RecordedLog()
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          marks = "e" + "\\u0308" * 16000 + "\\u0323" * 15900
          for i in range(10):
              state(request["params"]["device"], **{"power": marks, marks: 1})
      """, logger: log.logger)
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.code == .unavailable)
      #expect(error.message.contains("10 lines that are no messages"), "\(error.message)")
      await plugin.waitForGeneration(2)
      #expect(log.lines.filter { $0.contains("bad line") }.count == ProtocolLimits.badLines)
    }
  }

  @Test("A flood of log lines: 200 are written, then ten a second, with one warning")
  func logs() async throws {
    let log = RecordedLog()
    let clock = ManualClock()
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          device = request["params"]["device"]
          for i in range(5000):
              send({"method": "log", "params": {"message": "a word\\n" * 5, "device": "x" * 500}})
          send({"method": "log", "params": {"message": "y" * 500000}})
          state(device, power="on", brightness=100)
          reply(request, {})
      """, clock: clock, logger: log.logger)
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      let written = log.lines.filter { $0.contains("a word") }
      #expect(written.count == Int(ProtocolLimits.logBurst))
      #expect(written.allSatisfy { $0.utf8.count < 200 && !$0.contains("\n") })
      #expect(log.lines.count { $0.contains("lines a second to the log") } == 1)
      try await status(of: plugin, "lines a second to the log")
    }
  }

  @Test("Delayed reports of a flood are bounded too")
  func heldBack() async throws {
    let clock = ManualClock()
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          device = request["params"]["device"]
          for i in range(1500): state(device, brightness=i % 100)
          for i in range(2000):
              send({"method": "state", "params": {"device": device, "attributes": {
                  "name %d" % i: {"value": 1}}}})
          reply(request, {})
      """, clock: clock)
    try await plugin.run { lamp in
      #expect(
        await outcome(of: LightsCommand.on, on: lamp, until: .accepted).success == .accepted)
      clock.advance(by: .seconds(10))
      try #require(await eventually { await lamp.snapshot().state.attributes.isEmpty == false })
      #expect(await lamp.snapshot().state.attributes.count == ProtocolLimits.attributes)
    }
  }

  @Test("A device opened anew begins without the attributes and warnings of the process before")
  func newProcess() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          device = request["params"]["device"]
          for i in range(100):
              send({"method": "state", "params": {"device": device, "attributes": {
                  "%d %d" % (os.getpid(), i): {"value": 1}}}})
          state(device, power="on", brightness=100)
          reply(request, {})
          if request["params"]["command"] == "off": sys.exit(3)
      """)
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      let first = Set(await lamp.snapshot().state.attributes.keys)
      _ = await outcome(of: LightsCommand.off, on: lamp, until: .accepted)
      await plugin.waitForGeneration(2)
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      let second = Set(await lamp.snapshot().state.attributes.keys)
      #expect(first.count == 64 && second.count == 64 && first.isDisjoint(with: second))
    }
  }
}
