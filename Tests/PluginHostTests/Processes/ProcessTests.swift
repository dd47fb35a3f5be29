import Devices
import Foundation
import Glibc
import JSON
import Platform
import PluginHost
import PluginProtocol
import TestSupport
import Testing

@Suite("Plugins as processes")
struct ProcessTests {
  @Test("F1 · a plugin in another language is started, obeys, and is gone after the end")
  func wholeLife() async throws {
    let plugin = try ScriptPlugin()
    var pid: Int32 = 0
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.dim(40), on: lamp).success == .observed)
      let status = try await plugin.status()
      #expect(status.condition == .running)
      pid = try #require(status.pid)
      #expect(try #require(status.memory) > 0)
    }
    #expect(kill(pid, 0) == -1)
    #expect(try await plugin.status().condition == .ended)
  }

  @Test("After kill -9 it is started again and its device is as it was")
  func killed() async throws {
    let plugin = try ScriptPlugin()
    try await plugin.run { lamp in
      try await lamp.perform(LightsCommand.dim(40))
      let pid = try #require(try await plugin.status().pid)
      let reason = await plugin.waitUntilUnavailable { kill(pid, SIGKILL) }
      #expect(reason.contains("signal 9"))
      await plugin.waitForGeneration(2)
      for await snapshot in await lamp.snapshots() where snapshot.state.brightness == 40 { break }
      #expect(try await plugin.status().restarts == 1)
    }
  }

  @Test("It gets the environment that its manifest names, its folder, its group, no descriptors")
  func confinement() async throws {
    let plugin = try ScriptPlugin(
      """
      def opening(request):
          state(request["params"]["device"], power="off")
          send({"method": "state", "params": {"device": request["params"]["device"], "attributes": {
              "environment": {"value": sorted(k for k in os.environ if k != "LC_CTYPE")},
              "folder": {"value": os.path.basename(os.getcwd())},
              "leads": {"value": os.getpgrp() == os.getpid()},
              "files": {"value": sorted(int(f) for f in os.listdir("/proc/self/fd") if int(f) > 2)},
              "ignored": {"value": signal.getsignal(signal.SIGTERM) == signal.SIG_IGN}}}})
          reply(request, {})
      """,
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "SECRET": "x",
        "PULSE_SERVER": "y", "PULSE_SINK": "z", "HOME": "/home/none",
      ])
    try await plugin.run { lamp in
      let found = await lamp.snapshot().state.attributes.mapValues(\.value)
      #expect(found["environment"] == ["PATH", "PULSE_SERVER", "PULSE_SINK"])
      #expect(found["folder"] == "Script")
      #expect(found["leads"] == true)
      #expect(found["ignored"] == false)
      // One is the listing's own.
      #expect(found["files"]?.array?.count ?? 9 <= 1)
    }
  }

  @Test("Its stderr is kept, bounded and without control characters")
  func stderr() async throws {
    let plugin = try ScriptPlugin(
      """
      def begin():
          sys.stderr.write("\\x1b[31mred\\n" + "x" * 5000 + "\\n"); sys.stderr.flush()
          sys.exit(3)
      """, clock: ManualClock())
    try await plugin.run { _ in
      let status = try await plugin.status()
      #expect(status.condition == .stopped(by: .crash))
      #expect(try #require(status.lastMessage).contains("exit status 3"))
      let lines = status.log
      #expect(lines.first == "[31mred")
      let last = try #require(lines.last)
      #expect(last.utf8.count <= ProtocolLimits.stderrLine && last.hasSuffix("x…"))
    }
  }

  @Test("Its children end with it")
  func grandchildren() async throws {
    let plugin = try ScriptPlugin(
      """
      import subprocess
      child = subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
      def opening(request):
          state(request["params"]["device"], power="off")
          send({"method": "state", "params": {"device": request["params"]["device"],
              "attributes": {"child": {"value": child.pid}}}})
          reply(request, {})
      """)
    var child: Int32 = 0
    try await plugin.run { lamp in
      let value = try #require(await lamp.snapshot().state.attributes["child"]?.value.integer)
      child = Int32(value)
      #expect(ProcessFacts.startTime(of: child) != nil)
    }
    // The signal has been sent; the kernel carries it out in its own time.
    let id = child
    try #require(await eventually { ProcessFacts.startTime(of: id) == nil })
  }

  @Test("A program that cannot be started says why, and is tried again")
  func cannotStart() async throws {
    let manifest = ScriptPlugin.manifest.replacing("./program", with: "./missing")
    let plugin = try ScriptPlugin(manifest: manifest)
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.code == .unavailable)
      #expect(error.message.contains("there is no program") && error.message.contains("missing"))
      #expect(try await plugin.status().condition == .stopped(by: .load))
    }
  }

  @Test("Devices of one plugin share a process, unless their labels differ")
  func sharing() async throws {
    let devices = [
      HostedDevice(id: "a", role: .lights, plugin: "Script"),
      HostedDevice(id: "b", role: .lights, plugin: "Script"),
      HostedDevice(id: "c", role: .lights, plugin: "Script", process: "apart"),
    ]
    let plugin = try ScriptPlugin(devices: devices)
    try await plugin.run { _ in
      let statuses = await plugin.host.statuses()
      #expect(statuses.map(\.devices) == [["a", "b"], ["c"]])
      #expect(Set(statuses.map(\.pid)).count == 2)
      for device in plugin.host.devices { try await device.perform(LightsCommand.dim(5)) }
    }
  }
}
