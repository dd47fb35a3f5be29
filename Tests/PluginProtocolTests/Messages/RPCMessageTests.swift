import JSON
import PluginProtocol
import TestSupport
import Testing

@Suite("Messages on the wire")
struct RPCMessageTests {
  private static let messages: [(RPCMessage, String)] = [
    (
      .request(id: 7, method: "perform", params: ["device": "lamp", "command": ["dim": 10]]),
      #"{"jsonrpc":"2.0","id":7,"method":"perform","params":{"device":"lamp","command":{"dim":10}}}"#
    ),
    (
      .notification(method: "cancel", params: ["id": 7]),
      #"{"jsonrpc":"2.0","method":"cancel","params":{"id":7}}"#
    ),
    (.success(id: 7, result: [:]), #"{"jsonrpc":"2.0","id":7,"result":{}}"#),
    (
      .failure(id: 7, RPCError(-32000, "no", data: ["kind": "refused"])),
      #"{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no","data":{"kind":"refused"}}}"#
    ),
    (
      .failure(id: nil, RPCError(-32700, "what?")),
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#
    ),
  ]

  @Test("Each kind of message is one line, and reads back as itself")
  func lines() throws {
    for (message, line) in Self.messages {
      #expect(String(decoding: message.line(), as: UTF8.self) == line + "\n")
      #expect(try RPCMessage(line: Array(line.utf8)) == message)
    }
  }

  @Test("Line breaks in a text do not break the line")
  func lineBreaks() throws {
    let message = RPCMessage.notification(method: "log", params: ["message": "a\nb\r\u{2028}c"])
    let line = message.line()
    #expect(line.count { $0 == 0x0A } == 1 && line.last == 0x0A)
    #expect(try RPCMessage(line: line.dropLast()) == message)
  }

  @Test("Unknown keys are ignored: a newer minor version may say more")
  func unknownKeys() throws {
    let line = #"{"jsonrpc":"2.0","id":1,"result":{},"trace":[1,2]}"#
    #expect(try RPCMessage(line: Array(line.utf8)) == .success(id: 1, result: [:]))
  }

  @Test(
    "Refuses an invalid message with its JSON-RPC code",
    arguments: [
      ("", -32700), ("nonsense", -32700), (#"{"jsonrpc":"2.0""#, -32700), ("[]", -32600),
      ("{}", -32600), (#"{"jsonrpc":"1.0","id":1,"result":{}}"#, -32600),
      (#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","result":{}}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"error":{}}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, -32600),
      (#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, -32600),
    ])
  func refused(line: String, code: Int) {
    #expect { try RPCMessage(line: Array(line.utf8)) } throws: { ($0 as? RPCError)?.code == code }
  }

  @Test("A line of any bytes is an error, or a message that reads back as itself")
  func anyBytes() throws {
    var random = SeededNumbers(1)
    var messages = 0
    let line = Array(#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"\u00e4"}}"#.utf8)
    for _ in 0..<3000 {
      var broken = line
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        broken[Int.random(in: broken.indices, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      // Every second line is cut somewhere.
      let end = Bool.random(using: &random) ? broken.count : Int.random(in: 0...60, using: &random)
      guard let message = try? RPCMessage(line: broken.prefix(end)) else { continue }
      messages += 1
      #expect(try RPCMessage(line: message.line().dropLast()) == message)
    }
    #expect((10..<1500).contains(messages))
  }
}
