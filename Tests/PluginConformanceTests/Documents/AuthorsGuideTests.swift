import Devices
import Foundation
import JSON
import Platform
import PluginConformance
import PluginKit
import PluginProtocol
import TestSupport
import Testing
import TheaterConfiguration

@Suite("F1 F4 · the examples of docs/plugin-authors-guide.md work", .timeLimit(.minutes(5)))
struct AuthorsGuideTests {
  private static func blocks(_ kind: String) throws -> [String] {
    try ProjectFile.text("docs/plugin-authors-guide.md").components(separatedBy: "\n```\(kind)\n")
      .dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
  }

  private static func light(_ folder: URL) throws -> String {
    try String(contentsOf: folder.appending(path: "light"), encoding: .utf8)
  }

  @Test("F1 · the Swift program of the page is that of Examples/SwiftPlugin, and dims")
  func swift() async throws {
    // GuideLamp.swift is a link to Lamp.swift.
    let lamp = try ProjectFile.text("Examples/SwiftPlugin/Sources/Lamps/Lamp.swift")
    let main = try ProjectFile.text("Examples/SwiftPlugin/Sources/Lamps/main.swift")
    #expect(try Self.blocks("swift").map { $0 + "\n" } == [lamp + main])
    try await withTemporaryFolder { folder in
      let (controller, plugin) = InMemoryConnection.pair()
      let (answers, answer) = AsyncStream<Int?>.makeStream()
      controller.start { event in
        if case .line(let bytes) = event, case .success(let id, _)? = try? RPCMessage(line: bytes) {
          answer.yield(id)
        }
        if case .closed = event { answer.finish() }
      }
      let options: JSON = ["path": .string(folder.appending(path: "light").path)]
      let open = OpenRequest(device: "a", role: .lights, options: options)
      let dim = PerformRequest(device: "a", command: ["dim": 40])
      try controller.send(.request(id: 1, method: OpenRequest.method, params: open.params))
      try controller.send(.request(id: 2, method: PerformRequest.method, params: dim.params))
      async let serving: Void = lamps.serve(plugin)
      for await id in answers where id == 2 { break }
      #expect(try Self.light(folder) == "102\n")
      controller.closeSending()
      await serving
    }
  }

  @Test("F4 · the Swift program of the page reports a lamp that does not take the brightness")
  func unwritable() async throws {
    let (controller, plugin) = InMemoryConnection.pair()
    let (answers, answer) = AsyncStream<String>.makeStream()
    controller.start { event in
      guard case .line(let bytes) = event, let message = try? RPCMessage(line: bytes) else {
        return answer.finish()
      }
      if case .success = message { answer.yield("opened") }
      if case .failure(_, let error) = message { answer.yield(error.message) }
    }
    // A full disk: it can be opened, and refuses each write.
    let open = OpenRequest(device: "a", role: .lights, options: ["path": "/dev/full"])
    try controller.send(.request(id: 1, method: OpenRequest.method, params: open.params))
    async let serving: Void = lamps.serve(plugin)
    var outcome: String?
    for await text in answers {
      outcome = text
      break
    }
    #expect(outcome == "/dev/full cannot be written")
    controller.closeSending()
    await serving
  }

  @Test("F1 · the Python program of the page introduces itself, opens, dims, refuses and ends")
  func python() async throws {
    let program = try #require(try Self.blocks("python").first)
    let manifest = try #require(try Self.blocks("json manifest").first)
    try await withTemporaryFolder { folder in
      let script = folder.appending(path: "lamps")
      try (program + "\n").write(to: script, atomically: true, encoding: .utf8)
      try manifest.write(
        to: folder.appending(path: "manifest.json"), atomically: true, encoding: .utf8)
      try FileManager.default.copyItem(
        at: Program.project.appending(path: "Examples/NetworkLamp/theater_plugin.py"),
        to: folder.appending(path: "theater_plugin.py"))
      // Through the interpreter: a file that was just written may still be held open for writing by
      // another test's child, and cannot be started itself then.
      let lamps = PluginUnderTest(
        "Lamps", in: folder, command: ["/usr/bin/env", "python3", script.path])
      try await PluginClient.run(lamps.target) { client in
        let answer = try await client.ask(InitializeRequest(controller: "guide"))
        #expect(answer.plugin == "Lamps")
        let path = folder.appending(path: "light").path
        try await client.ask(
          OpenRequest(device: "a", role: .lights, options: ["path": .string(path)]))
        let (result, before) = try await client.perform("a", ["dim": 40])
        #expect(result.error == nil)
        #expect(before.states.last?.values == [.power: "on", .brightness: 40])
        #expect(try Self.light(folder) == "102\n")
        for wrong: JSON in ["levitate", ["dim": 101]] {
          #expect(try await client.perform("a", wrong).result.error?.data?["kind"] == "invalid")
        }
        try await client.ask(PingRequest())
        try await client.ask(ShutdownRequest())
        #expect(try await client.exitStatus() == PluginClient.success)
      }
    }
  }

  @Test("F1 · the manifest of the page is that of Examples/SwiftPlugin, and valid")
  func manifest() throws {
    let block = try #require(try Self.blocks("json manifest").first)
    #expect(try ProjectFile.text("Examples/SwiftPlugin/manifest.json") == block + "\n")
    let manifest = try Manifest(parsing: block.utf8)
    #expect(manifest.id == "Lamps")
    _ = try OptionSchema.shape(try #require(manifest.roles[.lights]).options)
  }
}
