import Devices
import Foundation
import Glibc
import JSON
import PluginHost
import TestSupport
import Testing

@Suite("Failing plugins")
struct BadPluginTests {
  /// Waits for the last message in the plugin's status: devices learn of the plugin's end on
  /// another thread.
  private func lastMessage(of plugin: ScriptPlugin) async throws -> String {
    try #require(await eventually { (try? await plugin.status().lastMessage) ?? nil != nil })
    return try #require(try await plugin.status().lastMessage)
  }

  @Test("Garbage: ten such lines restart it, and the message shows one")
  func garbage() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          for _ in range(10): print("this is no JSON", flush=True)
      """)
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.code == .unavailable)
      await plugin.waitForGeneration(2)
      let message = try await lastMessage(of: plugin)
      #expect(message.contains("10 lines that are no messages"))
    }
  }

  @Test("A plugin with a few bad lines keeps running")
  func fewBadLines() async throws {
    let plugin = try ScriptPlugin("def begin():\n    print('hello, I am a plugin', flush=True)")
    try await plugin.run { lamp in
      try await lamp.perform(LightsCommand.dim(3))
      #expect(try await plugin.status().restarts == 0)
    }
  }

  @Test("Keeps the newest values of a flood of reports")
  func flood() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          for i in range(20000): state(request["params"]["device"], brightness=i % 100)
          state(request["params"]["device"], brightness=request["params"]["command"]["dim"])
          reply(request, {})
      """)
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.dim(77), on: lamp).success == .observed)
      #expect(await lamp.snapshot().state.brightness == 77)
    }
  }

  @Test("Stops reading a catalogue whose pages are empty")
  func endlessCatalogue() async throws {
    let plugin = try ScriptPlugin(
      """
      pages = 0
      def answer(request):
          global pages
          method = request["method"]
          if method == "initialize": initialize(request)
          elif method == "open": opening(request)
          elif method == "scan":
              pages += 1
              items = [{"id": str(pages), "title": "x"}] if pages < 4 else []
              reply(request, {"items": items, "next": "1"})
          elif "id" in request: reply(request, {})
      """, devices: [HostedDevice(id: "cd", role: .cdPlayer, plugin: "Script")],
      manifest: ScriptPlugin.playerManifest)
    try await plugin.run { cd in
      let media = try #require(cd.facet((any MediaSource).self))
      let items = try await media.listCatalogue(folder: nil).items
      #expect(items.map(\.id) == ["1", "2", "3"])
    }
  }

  @Test("A hang: two pings are missed, then it is ended and started again")
  func hang() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          reply(request, {})
          while True: time.sleep(1000)
      """)
    try await plugin.run { lamp in
      _ = await outcome(of: LightsCommand.on, on: lamp, until: .accepted)
      await plugin.waitForGeneration(2)
      let message = try await lastMessage(of: plugin)
      #expect(message.contains("2 pings"))
    }
  }

  @Test(
    "It answers nothing, and commands follow each other without a pause: it is pinged and ended")
  func silent() async throws {
    let clock = ManualClock()
    let plugin = try ScriptPlugin(
      """
      def answer(request):
          if request["method"] == "initialize": initialize(request)
          elif request["method"] == "open": opening(request)
      """, clock: clock)
    try await plugin.run { lamp in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          while !Task.isCancelled { _ = await outcome(of: LightsCommand.on, on: lamp) }
        }
        let isEnded = await eventually {
          clock.advance(by: .seconds(1))
          return (try? await plugin.status().lastMessage)??.contains("2 pings") == true
        }
        #expect(isEnded)
        group.cancelAll()
      }
    }
  }

  @Test("It answers pings and no command: the list of plugins says which command it did not answer")
  func deafToCommands() async throws {
    let clock = ManualClock()
    let plugin = try ScriptPlugin("def perform(request): pass", clock: clock)
    try await plugin.run { lamp in
      async let on = outcome(of: LightsCommand.on, on: lamp)
      let isTold = await eventually {
        clock.advance(by: .seconds(1))
        return (try? await plugin.status().lastMessage)??.contains("did not answer \"on\"") == true
      }
      #expect(isTold)
      #expect(await on.failure?.code == .timeout)
      let status = try await plugin.status()
      #expect(status.condition == .running)
    }
  }

  @Test("It ignores TERM: KILL ends it")
  func ignoresTerm() async throws {
    let plugin = try ScriptPlugin(
      """
      signal.signal(signal.SIGTERM, signal.SIG_IGN)
      def serve():
          for line in sys.stdin: answer(json.loads(line))
          while True: time.sleep(1000)
      """)
    var pid: Int32 = 0
    try await plugin.run { _ in
      // On a busy machine the first start may take too long and be given up.
      try #require(await eventually { (try? await plugin.status().pid) ?? nil != nil })
      pid = try #require(try await plugin.status().pid)
    }
    #expect(kill(pid, 0) == -1)
  }

  @Test("A plugin that ends at once is started again with growing delays, and its exit is shown")
  func exitsAtOnce() async throws {
    let plugin = try ScriptPlugin("def begin():\n    sys.exit(7)")
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.message.contains("exit status 7"))
      #expect(error.message.contains("it is started again in"))
      for await _ in await lamp.snapshots() where try await plugin.status().restarts >= 2 { break }
    }
  }

  @Test("It answers twice: the first answer counts, the second is a bad line")
  func answersTwice() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          state(request["params"]["device"], power="on", brightness=100)
          reply(request, {})
          send({"id": request["id"], "error": {"code": -32000, "message": "no"}})
      """)
    try await plugin.run { lamp in
      for _ in 0..<3 {
        #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      }
    }
    let message = try await lastMessage(of: plugin)
    #expect(message.contains("which was not requested"))
  }

  @Test("It answers with the wrong id: the command times out, the next one works")
  func wrongID() async throws {
    let plugin = try ScriptPlugin(
      """
      count = 0
      def perform(request):
          global count
          count += 1
          if count == 1: return reply({"id": 987654}, {})
          state(request["params"]["device"], power="on", brightness=100)
          reply(request, {})
      """)
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.on, on: lamp).failure?.code == .timeout)
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
    }
  }

  @Test("It speaks another major version: both are named, and it waits for a change")
  func otherVersion() async throws {
    let plugin = try ScriptPlugin(
      """
      def initialize(request):
          reply(request, {"protocol": "7.0", "plugin": "Script", "version": "1"})
      """)
    try await plugin.run { lamp in
      for await _ in await lamp.snapshots()
      where try await plugin.status().condition == .stopped(by: .version) { break }
      let message = try await lastMessage(of: plugin)
      #expect(message.contains("7.0"))
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.message.contains("when its files or the configuration change"))
    }
  }

  @Test("A repaired program is started without a request")
  func mended() async throws {
    let plugin = try ScriptPlugin(
      """
      def initialize(request):
          reply(request, {"protocol": "7.0", "plugin": "Script", "version": "1"})
      """)
    try await plugin.run { lamp in
      for await _ in await lamp.snapshots()
      where try await plugin.status().condition == .stopped(by: .version) { break }
      let program = plugin.root.appending(path: "plugins/Script/program")
      let text = try String(contentsOf: program, encoding: .utf8).replacing("7.0", with: "1.0")
      try Data(text.utf8).write(to: program)
      await plugin.waitForGeneration(1)
      try await lamp.perform(LightsCommand.dim(8))
    }
  }

  @Test("A line without an end is passed over, and nothing grows")
  func endlessLine() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          sys.stdout.write("x" * (8 << 20) + "\\n")
          state(request["params"]["device"], power="on", brightness=100)
          reply(request, {})
      """)
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      let message = try await lastMessage(of: plugin)
      #expect(message.contains("the limit is 1048576"))
    }
  }

  @Test("Deeply nested JSON is a bad line")
  func nesting() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          print("[" * 100000, flush=True)
          state(request["params"]["device"], power="on", brightness=100)
          reply(request, {})
      """)
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
      let message = try await lastMessage(of: plugin)
      #expect(message.contains("64 levels"))
    }
  }

  @Test("It closes its input: commands fail clearly, and it is started again")
  func closesInput() async throws {
    let plugin = try ScriptPlugin(
      """
      def serve():
          for _ in range(2): answer(json.loads(sys.stdin.readline()))
          os.close(0)
          state("lamp", power="on", brightness=100)
          while True: time.sleep(1000)
      """)
    try await plugin.run { lamp in
      for await snapshot in await lamp.snapshots() where snapshot.state.power == .on { break }
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.code == .unavailable)
      await plugin.waitForGeneration(2)
    }
  }

  @Test("It closes its output: it is ended and started again")
  func closesOutput() async throws {
    let plugin = try ScriptPlugin(
      """
      def perform(request):
          os.close(1)
          while True: time.sleep(1000)
      """)
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.code == .unavailable)
      await plugin.waitForGeneration(2)
      let message = try await lastMessage(of: plugin)
      #expect(message.contains("closed its input or output"))
    }
  }

  @Test("Shows the self-check's reason when a dependency is missing")
  func selfCheck() async throws {
    let plugin = try ScriptPlugin(
      """
      if "--self-check" in sys.argv:
          print('{"ok": false, "message": "no lamp driver", "hint": "apt install lamp"}')
          sys.exit(1)
      """)
    try await plugin.run { lamp in
      for await _ in await lamp.snapshots()
      where try await plugin.status().condition == .stopped(by: .selfCheck) { break }
      let message = try await lastMessage(of: plugin)
      #expect(message == "no lamp driver (apt install lamp)")
    }
  }

  @Test("It refuses its options: the device says why, and the process is not restarted for it")
  func refusesOptions() async throws {
    let plugin = try ScriptPlugin(
      """
      def opening(request):
          send({"id": request["id"], "error": {"code": -32000, "message": "no such port",
              "data": {"kind": "invalid", "hint": "Ports are 1 to 4."}}})
      """)
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.message.contains("no such port") && error.message.contains("Ports are 1 to 4."))
      let status = try await plugin.status()
      #expect(status.condition == .stopped(by: .configuration) && status.restarts == 0)
    }
  }

  /// A plugin that exits at its first start and leaves a child in a session of its own with its output and
  /// stderr. The child writes the file `released` when `end` returns.
  private func abandoning(_ end: String) throws -> ScriptPlugin {
    try ScriptPlugin(
      """
      import select
      def begin():
          if os.path.exists("left"): return
          open("left", "w").close()
          child = os.fork()
          if child:
              # Until it has left the process group, which the controller kills.
              os.waitpid(child, 0)
              return
          os.setsid()
          if os.fork(): os._exit(0)
          def flood():
              end = time.monotonic() + 90
              while time.monotonic() < end: os.write(2, b"noise\\n" * 50)
          def hold():
              poll = select.poll()
              poll.register(1, 0)
              poll.poll(90000)
          signal.signal(signal.SIGPIPE, signal.SIG_IGN)
          began = time.monotonic()
          try: \(end)
          except OSError: pass
          if time.monotonic() - began < 80: open("released", "w").close()
          os._exit(0)
      def perform(request):
          os._exit(5)
      """)
  }

  @Test(
    "Its child keeps its pipes open after its end: the controller closes them, and it is started again",
    arguments: ["hold()", "flood()"])
  func abandonedPipes(end: String) async throws {
    let plugin = try abandoning(end)
    try await plugin.run { lamp in
      _ = await outcome(of: LightsCommand.on, on: lamp)
      await plugin.waitForGeneration(2)
      let restarts = try await plugin.status().restarts
      #expect(restarts == 1)
      let released = plugin.root.appending(path: "plugins/Script/released").path
      try #require(await eventually { FileManager.default.fileExists(atPath: released) })
    }
  }
}
