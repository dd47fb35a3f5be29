import APIClient
import JSON
import NIOCore
import TestSupport
import Testing

@Suite struct EventStreamTests {
  private static let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
  private static let impatient = HTTPConnections(streamTimeout: .milliseconds(50))

  private struct Stopped: Error {}

  @Test("receives events after the last known one, in order, until the caller has enough")
  func events() async throws {
    let events = (1...5).map { "id: b-\($0)\nevent: device\ndata: {\"id\":\($0)}\n\n" }.joined()
    try await ScriptedServer.run(reply: Self.head + events, closes: false) { server in
      var received: [ServerSentEvent] = []
      var opened = 0
      let refusal = try await ControllerClient(server.address, token: "t")
        .listen(after: "b-0") {
          opened += 1
        } _: { event in
          received.append(event)
          return received.count < 4
        }
      #expect(refusal == nil && opened == 1)
      #expect(received.map(\.id) == ["b-1", "b-2", "b-3", "b-4"])
      #expect(received.map(\.json) == (1...4).map { ["id": .integer($0)] })
      let request = try #require(server.requests.first)
      #expect(request.contains("\r\nlast-event-id: b-0\r\n"))
      #expect(request.contains("\r\naccept: text/event-stream\r\n"))
      #expect(await eventually { server.closedConnections == 1 })
    }
  }

  @Test("returns normally at the end of the stream, and returns a refusal")
  func ends() async throws {
    try await ScriptedServer.run(reply: Self.head + "data: x\n\n") { server in
      var count = 0
      let refusal = try await ControllerClient(server.address).listen { _ in
        count += 1
        return true
      }
      #expect(refusal == nil && count == 1)
    }
    let refusal = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 4\r\n\r\nnull"
    try await ScriptedServer.run(reply: refusal) { server in
      let response = try await ControllerClient(server.address).listen { _ in true }
      #expect(response?.status == 429)
    }
  }

  @Test("A9 · a silent stream and an oversized event break the connection")
  func broken() async throws {
    try await ScriptedServer.run(reply: Self.head, closes: false) { server in
      let client = ControllerClient(server.address, connections: Self.impatient)
      let error = try await #require(throws: ControllerConnectionError.self) {
        try await client.listen { _ in true }
      }
      #expect(error == .broken("the controller sent nothing for too long"))
    }
    var parser = ServerSentEventParser(limit: 100)
    #expect(throws: ServerSentEventParser.OversizedEvent.self) {
      for _ in 1...10 { _ = try parser.parse("data: 12345\n".utf8) }
    }
    var other = ServerSentEventParser(limit: 100)
    #expect(throws: Never.self) {
      for _ in 1...100 { _ = try other.parse("data: 12345\n\n".utf8) }
    }
  }

  @Test("A9 · an error of the caller ends the stream and is thrown unchanged")
  func callersError() async throws {
    try await ScriptedServer.run(reply: Self.head + "data: x\n\n", closes: false) { server in
      await #expect(throws: Stopped.self) {
        try await ControllerClient(server.address).listen { _ in throw Stopped() }
      }
      #expect(await eventually { server.closedConnections == 1 })
    }
  }

  @Test(
    "reads fields as WHATWG HTML, section 9.2.6, says",
    arguments: [
      ("\u{FEFF}data: a\n\n", "", "a"), ("\n\u{FEFF}data: a\n\ndata: b\n\n", "", "b"),
      ("data:\n\n", "", ""), ("data\n\n", "", ""), ("data: \u{301}a\n\n", "", "\u{301}a"),
      ("id: 1\nid: 2\0\ndata: a\n\n", "1", "a"), ("id: 1\nid\ndata: a\n\n", "", "a"),
    ])
  func fields(text: String, id: String, data: String) throws {
    var parser = ServerSentEventParser()
    let events = try parser.parse(text.utf8)
    #expect(events.map(\.data) == [data])
    #expect((events.first?.id ?? "") == id)
  }

  @Test("events are parsed wherever their bytes are cut")
  func cuts() throws {
    let text =
      ": hello\r\n\r\nid: a-1\nevent: x\ndata: {\"a\":1}\n\ndata: b\r\ndata: c\r\n\r\nid\n\n"
    let whole = [
      ServerSentEvent(id: "a-1", name: "x", data: "{\"a\":1}"),
      ServerSentEvent(id: "a-1", name: "message", data: "b\nc"),
    ]
    for length in 1...text.utf8.count {
      var parser = ServerSentEventParser()
      var events: [ServerSentEvent] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        events += try parser.parse(rest.prefix(length))
        rest = rest.dropFirst(length)
      }
      #expect(events == whole)
    }
  }
}
