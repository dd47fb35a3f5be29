import Devices
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The cases about lines that a controller never sends. A plugin must survive them.
  package static let badInput = [
    ConformanceCase(
      "lines that are not JSON get a parse error and change nothing", .parseError, .survives,
      scope: .plugin
    ) { trial in
      let lines = [
        "garbage", "{", "\"", "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"", "[1,",
        "{\"a\": NaN}", "\u{0}\u{1}\u{2}", "}{",
      ]
      try await trial.withProcess { client in
        for line in lines {
          try await client.send(line: line)
          try await client.expectRefusal(RPCError.parseErrorCode)
        }
        try await client.send(bytes: [0x22, 0xFF, 0xFE, 0x22, 0x0A])
        try await client.expectRefusal(RPCError.parseErrorCode)
        try await client.ask(PingRequest())
      }
    },
    ConformanceCase(
      "JSON that is no message gets an invalid-request error", .invalidRequest, scope: .plugin
    ) { trial in
      let lines = [
        "[]", "null", "3", "{}", "{\"jsonrpc\": \"2.0\"}", "{\"id\": 1, \"method\": \"ping\"}",
        "{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": \"one\", \"method\": \"ping\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}",
      ]
      try await trial.withProcess { client in
        for line in lines {
          try await client.send(line: line)
          try await client.expectRefusal(RPCError.invalidRequestCode)
        }
        try await client.ask(PingRequest())
      }
    },
    ConformanceCase("empty lines are ignored", .emptyLines, scope: .plugin) { trial in
      try await trial.withProcess { client in
        for _ in 1...2 { try await client.send(line: "") }
        try await client.expectOnlyPingAnswer()
      }
    },
    ConformanceCase("answers without a request are ignored", .survives, scope: .plugin) { trial in
      try await trial.withProcess { client in
        try await client.send(line: #"{"jsonrpc": "2.0", "id": 99, "result": {}}"#)
        try await client.send(
          line: #"{"jsonrpc": "2.0", "id": 98, "error": {"code": -1, "message": "no"}}"#)
        try await client.expectOnlyPingAnswer()
      }
    },
    ConformanceCase(
      "a cancellation of no open request is ignored", .unknownCancel, scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        try await client.notify(CancelNotification(id: 97))
        try await client.expectOnlyPingAnswer()
      }
    },
    ConformanceCase(
      "a line of 1 MiB is read, a longer one is refused", .longLines, scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        let frame = #"{"jsonrpc": "2.0", "id": 7000, "method": "ping", "params": {"pad": ""}}"#
        let free = ProtocolLimits.longestLine - frame.utf8.count
        let longest = frame.replacing(
          "\"\"", with: "\"" + String(repeating: "x", count: free) + "\"")
        try await client.send(line: longest)
        try await client.answer(to: 7000).result.success(PingRequest.method)
        for excess in [1, 70_000] {
          try await client.send(line: longest + String(repeating: " ", count: excess))
          try await client.expectRefusal(RPCError.invalidRequestCode)
        }
        try await client.ask(PingRequest())
      }
    },
    ConformanceCase(
      "JSON nested deeper than 64 levels is refused", .nesting, scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        for depth in [64, 500_000] {
          try await client.send(
            line:
              #"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": \#(nest(depth))}}"#)
          try await client.expectRefusal(RPCError.parseErrorCode)
        }
        try await client.call("ping", ["a": JSON(parsing: nest(62))]).result.success("ping")
      }
    },
  ]

  /// Returns nested arrays of a depth.
  private static func nest(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }
}

extension PluginClient {
  /// Waits for an answer without an id, which the plugin sends for an unreadable line, and checks its code.
  func expectRefusal(_ code: Int) async throws {
    let wait = OutputWait("error \(code) with the id null")
    while true {
      switch try await nextMessage(wait) {
      case .failure(nil, let error):
        return try expect(
          error.code == code, "error \(code) with the id null", received: error.summary)
      case .notification: continue
      case let message:
        throw ConformanceFailure("error \(code) with the id null", received: text(message))
      }
    }
  }
}
