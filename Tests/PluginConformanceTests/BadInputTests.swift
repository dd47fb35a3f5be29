import Devices
import JSON
import PluginProtocol
import Testing

@Suite("F1 · no line from outside harms a plugin", .timeLimit(.minutes(2)))
struct BadInputTests {
  @Test(
    "F1 · lines that are no JSON get a parse error and change nothing",
    arguments: PluginUnderTest.all)
  func garbage(_ plugin: PluginUnderTest) async throws {
    let lines = [
      "garbage", "{", "\"", "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"", "[1,",
      "{\"a\": NaN}", "\u{0}\u{1}\u{2}", "}{",
    ]
    try await PluginProcess.run(plugin) { client in
      for line in lines {
        try await client.send(line: line)
        #expect(try await client.nextRefusal().code == RPCError.parseErrorCode, "\(line)")
      }
      try await client.send(bytes: [0x22, 0xFF, 0xFE, 0x22, 0x0A])
      #expect(try await client.nextRefusal().code == RPCError.parseErrorCode)
      try await client.ask(PingRequest())
    }
  }

  @Test(
    "F1 · JSON that is no message gets an invalid-request error", arguments: PluginUnderTest.all)
  func noMessage(_ plugin: PluginUnderTest) async throws {
    let lines = [
      "[]", "null", "3", "{}", "{\"jsonrpc\": \"2.0\"}", "{\"id\": 1, \"method\": \"ping\"}",
      "{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}",
      "{\"jsonrpc\": \"2.0\", \"id\": \"one\", \"method\": \"ping\"}",
      "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}",
    ]
    try await PluginProcess.run(plugin) { client in
      for line in lines {
        try await client.send(line: line)
        #expect(try await client.nextRefusal().code == RPCError.invalidRequestCode, "\(line)")
      }
      try await client.ask(PingRequest())
    }
  }

  @Test(
    "F1 · answers without a request, and empty lines, are ignored",
    arguments: PluginUnderTest.all)
  func strayAnswers(_ plugin: PluginUnderTest) async throws {
    try await PluginProcess.run(plugin) { client in
      try await client.send(line: "")
      try await client.send(line: #"{"jsonrpc": "2.0", "id": 99, "result": {}}"#)
      try await client.send(
        line: #"{"jsonrpc": "2.0", "id": 98, "error": {"code": -1, "message": "no"}}"#)
      try await client.notify(CancelNotification(id: 97))
      let (result, before) = try await client.call("ping", [:])
      #expect(result.error == nil)
      #expect(before == [])
    }
  }

  @Test(
    "F1 · a line beyond 1 MiB is refused, one just below is read",
    arguments: PluginUnderTest.all)
  func longLines(_ plugin: PluginUnderTest) async throws {
    try await PluginProcess.run(plugin) { client in
      let frame = #"{"jsonrpc": "2.0", "id": 7000, "method": "ping", "params": {"pad": ""}}"#
      let room = ProtocolLimits.longestLine - frame.utf8.count
      let longest = frame.replacing("\"\"", with: "\"" + String(repeating: "x", count: room) + "\"")
      try await client.send(line: longest)
      #expect(try await client.answer(to: 7000).result.error == nil)
      for excess in [1, 70_000] {
        try await client.send(line: longest + String(repeating: " ", count: excess))
        #expect(try await client.nextRefusal().code == RPCError.invalidRequestCode)
      }
      try await client.ask(PingRequest())
    }
  }

  @Test("F1 · JSON nested deeper than 64 levels is refused", arguments: PluginUnderTest.all)
  func deepJSON(_ plugin: PluginUnderTest) async throws {
    try await PluginProcess.run(plugin) { client in
      for depth in [64, 500_000] {
        let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        try await client.send(
          line: #"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": \#(nest)}}"#)
        #expect(try await client.nextRefusal().code == RPCError.parseErrorCode, "\(depth)")
      }
      let nest = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
      let (result, _) = try await client.call("ping", ["a": JSON(parsing: nest)])
      #expect(result.error == nil)
    }
  }
}
