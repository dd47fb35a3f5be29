import APIClient
import Foundation
import JSON
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@Suite struct ControllerClientTests {
  private static let ok = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"a\":true}"
  private static let impatient = HTTPConnections(
    responseTimeout: .milliseconds(50), streamTimeout: .milliseconds(50), maximumBody: 1_000)
  private static let patient = HTTPConnections(maximumBody: 1_000)

  /// Sends a request, and returns the error with which it fails.
  private func failure(_ client: ControllerClient) async throws -> ControllerConnectionError {
    try await #require(throws: ControllerConnectionError.self) { try await client.send(.GET, "/") }
  }

  @Test("A7 · sends token, device, host and body, each request on a connection of its own")
  func request() async throws {
    try await ScriptedServer.run(reply: Self.ok) { server in
      var client = ControllerClient(server.address, token: "secret")
      client.device = "known"
      let response = try await client.send(.POST, "/api/x", ["b": 1], wait: 5)
      #expect(response.status == 200 && response.isSuccess)
      #expect(response.json == ["a": true])
      #expect(response.header("Content-Length") == "10")
      let request = try #require(server.requests.first)
      #expect(request.hasPrefix("POST /api/x HTTP/1.1\r\n"))
      #expect(request.hasSuffix("\r\n\r\n{\"b\":1}"))
      for field in [
        "authorization: Bearer secret", "theater-device: known", "host: localhost",
        "prefer: wait=5",
        "content-type: application/json", "content-length: 7", "connection: close",
      ] {
        #expect(request.lowercased().contains("\r\n\(field.lowercased())\r\n"), "\(field)")
      }
      #expect(request.contains(/\r\nuser-agent: theater\/1 \([A-Za-z0-9.-]*\)\r\n/))
      _ = try await ControllerClient(server.address).send(.GET, "/")
      #expect(server.requests.count == 2)
      #expect(!server.requests[1].contains("authorization"))
      #expect(await eventually { server.closedConnections == 2 })
    }
  }

  @Test(
    "A7 · sends each path as it is given",
    arguments: [
      "/", "/api/devices/a%2Fb%3F?x=1%20y&z=%2B", "/api/%E6%98%A0%E7%94%BB", "/a//b?c=d?e",
    ])
  func paths(path: String) async throws {
    try await ScriptedServer.run(reply: Self.ok) { server in
      _ = try await ControllerClient(server.address).send(.GET, path)
      #expect(server.requests.first?.hasPrefix("GET \(path) HTTP/1.1\r\n") == true)
    }
  }

  @Test(
    "A7 · reaches a socket whose name has any character, and a port",
    arguments: ["a b", "100%", "ü?#&", "映画.sock"])
  func addresses(name: String) async throws {
    try await ScriptedServer.run(socket: name, reply: Self.ok) { server in
      let response = try await ControllerClient(server.address).send(.GET, "/")
      #expect(response.status == 200)
    }
    try await ScriptedServer.runOnPort(reply: Self.ok) { server in
      let response = try await ControllerClient(server.address).send(.GET, "/")
      #expect(response.status == 200)
    }
  }

  @Test("A9 · describes an IPv6 address in brackets, a name and an IPv4 address without")
  func description() {
    #expect(ControllerAddress.port(host: "::1", 8080).description == "[::1]:8080")
    #expect(ControllerAddress.port(host: "127.0.0.1", 8080).description == "127.0.0.1:8080")
    #expect(ControllerAddress.port(host: "cinema.lan", 80).description == "cinema.lan:80")
    #expect(ControllerAddress.socket("/run/theater.sock").description == "/run/theater.sock")
  }

  @Test("A9 · names the address at which no controller listens")
  func notRunning() async throws {
    var addresses: [ControllerAddress] = []
    try await ScriptedServer.run(reply: Self.ok) { addresses.append($0.address) }
    try await ScriptedServer.runOnPort(reply: Self.ok) { addresses.append($0.address) }
    for address in addresses {
      #expect(try await failure(ControllerClient(address)) == .notRunning(address))
    }
    // A socket file whose process has ended.
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("s").path
      let script = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
      _ = try await Program.tool("python3", "-c", script, path)
      #expect(FileManager.default.fileExists(atPath: path))
      #expect(
        try await failure(ControllerClient(.socket(path))) == .notRunning(.socket(path)))
    }
  }

  @Test("A9 · names a host that is not found, instead of saying that no controller runs")
  func unknownHost() async throws {
    // A label has at most 63 characters, so the resolver refuses this one without asking a server.
    let host = String(repeating: "a", count: 64) + ".invalid"
    let client = ControllerClient(.port(host: host, 80), connections: Self.patient)
    #expect(try await failure(client) == .broken("the host name \(host) was not found"))
  }

  @Test(
    "A9 · says how a response was broken",
    arguments: [
      ("", true, "ended too early"),
      ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab", true, "ended too early"),
      ("SSH-2.0-OpenSSH_9.2\r\n", true, "not HTTP"),
      ("", false, "sent nothing for too long"),
      ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab", false, "sent nothing for too long"),
      ("HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n", false, "larger than"),
      (
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
          + String(repeating: "100\r\n\(String(repeating: "x", count: 256))\r\n", count: 4), false,
        "larger than"
      ),
    ])
  func broken(reply: String, closes: Bool, reason: String) async throws {
    try await ScriptedServer.run(reply: reply, closes: closes) { server in
      // On a busy machine any answer may come later than the impatient client waits.
      let isSilent = reason == "sent nothing for too long"
      let connections = isSilent ? Self.impatient : Self.patient
      let error = try await failure(ControllerClient(server.address, connections: connections))
      guard case .broken(let text) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(text.contains(reason), "\(text)")
      #expect(await eventually { server.closedConnections == 1 })
    }
  }

  @Test("A7 · follows no redirect")
  func redirect() async throws {
    let redirect = "HTTP/1.1 302 Found\r\nlocation: http://localhost/\r\ncontent-length: 0\r\n\r\n"
    try await ScriptedServer.run(reply: redirect) { server in
      let response = try await ControllerClient(server.address).send(.POST, "/", ["a": 1])
      #expect(response.status == 302 && !response.isSuccess && response.json == .null)
      #expect(server.requests.count == 1)
    }
  }
}
