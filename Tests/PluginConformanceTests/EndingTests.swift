import Devices
import Glibc
import JSON
import Platform
import PluginProtocol
import TestSupport
import Testing

@Suite("F1 · order, cancelling and the end", .timeLimit(.minutes(2)))
struct EndingTests {
  @Test(
    "F1 · a ping is answered beside commands, and each request is answered once",
    arguments: RoleUnderTest.all)
  func pings(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role).result.get()
      var open: Set<Int> = []
      for _ in 0..<20 {
        open.insert(
          try await client.post(
            PerformRequest(device: "a", command: .string(role.firstCommand.name))))
        open.insert(try await client.post(PingRequest()))
      }
      while !open.isEmpty {
        switch try await client.nextMessage() {
        case .success(let id, _): #expect(open.remove(id) != nil, "answered twice: \(id)")
        case .failure(let id, let error): Issue.record("\(id ?? 0): \(error)")
        default: break
        }
      }
    }
  }

  @Test("F1 · a cancelled request is still answered, exactly once", arguments: RoleUnderTest.all)
  func cancels(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role).result.get()
      for _ in 0..<10 {
        let id = try await client.post(
          PerformRequest(device: "a", command: .string(role.firstCommand.name)))
        try await client.notify(CancelNotification(id: id))
        let error = try await client.answer(to: id).result.error
        #expect(error == nil || error?.data?["kind"] == "cancelled")
        try await client.notify(CancelNotification(id: id))
      }
      let (result, before) = try await client.call("ping", [:])
      #expect(result.error == nil)
      #expect(before.allSatisfy { if case .notification = $0 { true } else { false } })
    }
  }

  @Test(
    "F1 · the process ends within 2 s of the end of its input", .realTime,
    arguments: RoleUnderTest.all)
  func endsWithInput(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      for name in ["a", "b"] {
        _ = try await client.open(name, role).result.get()
        _ = try await client.perform(name, .string(role.firstCommand.name))
      }
      await client.closeInput()
      let status = try await client.exitStatus(within: .seconds(2))
      #expect(status == .exited(0), "in good order")
    }
  }

  @Test(
    "F1 · shutdown is answered and ends the process, though its input stays open",
    arguments: PluginUnderTest.all)
  func shutsDown(_ plugin: PluginUnderTest) async throws {
    try await PluginProcess.run(plugin) { client in
      try await client.ask(ShutdownRequest())
      #expect(try await client.exitStatus() == .exited(0))
    }
  }

  @Test("F1 F4 · a hanging device delays neither a ping, nor another device, nor the end")
  func hangs() async throws {
    try await PluginProcess.run(.simulated) { client in
      let options: JSON = ["faults": ["silent": ["any"]]]
      try await client.ask(OpenRequest(device: "a", role: .projector, options: options))
      try await client.ask(OpenRequest(device: "b", role: .lights, options: ["speed": 0]))
      _ = try await client.post(PerformRequest(device: "a", command: "on"))
      try await client.ask(PingRequest())
      #expect(try await client.perform("b", ["dim": 30]).result.error == nil)
      await client.closeInput()
      #expect(try await client.exitStatus() == .exited(0))
    }
  }

  @Test("F4 · a device that dies takes its process with it, at the command that it was told")
  func dies() async throws {
    try await PluginProcess.run(.simulated) { client in
      let options: JSON = ["speed": 0, "faults": ["dies": ["down"]]]
      try await client.ask(OpenRequest(device: "a", role: .screen, options: options))
      #expect(try await client.perform("a", "up").result.error == nil)
      _ = try await client.post(PerformRequest(device: "a", command: "down"))
      let status = try await client.exitStatus()
      #expect(status == .exited(70), "it ended by itself, with status 70")
    }
  }
}
