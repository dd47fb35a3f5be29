import Foundation
import JSON
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOSSL
import TestSupport
import TheaterAPI
import Testing

@testable import APIClient

/// The client over TLS, against servers with certificates that no authority has signed.
@Suite struct TLSTests {
  private static let ok = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"a\":true}"

  /// A self-signed certificate, and its fingerprint as OpenSSL shows it.
  private struct Certificate {
    let context: NIOSSLContext
    let fingerprint: CertificateFingerprint

    init(_ folder: URL, name: String = "localhost") async throws {
      let made = try await Program.tool(
        "sh", "-c",
        """
        cd "$0" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 \
          -subj /CN=tv -addext "subjectAltName=DNS:$1" -keyout key.pem -out chain.pem 2> openssl.log \
          && openssl x509 -in chain.pem -noout -fingerprint -sha256
        """, folder.path, name)
      let chain = try NIOSSLCertificate.fromPEMFile(folder.appendingPathComponent("chain.pem").path)
      let key = try NIOSSLPrivateKey(
        file: folder.appendingPathComponent("key.pem").path, format: .pem)
      context = try NIOSSLContext(
        configuration: .makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
      let line = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
      fingerprint = try #require(CertificateFingerprint(line), "\(line) \(made.errors)")
    }
  }

  private func failure(_ client: ControllerClient) async throws -> ControllerConnectionError {
    try await #require(throws: ControllerConnectionError.self) {
      try await client.send(.POST, "/secret", ["password": "secret"])
    }
  }

  @Test("without a confirmed certificate it sends nothing, and names the one that it was shown")
  func unknown() async throws {
    try await withTemporaryFolder { folder in
      let certificate = try await Certificate(folder)
      try await ScriptedServer.runOnPort(reply: Self.ok, tls: certificate.context) { server in
        let expected = ControllerConnectionError.certificate(
          server.address, found: certificate.fingerprint, confirmed: nil)
        // A client that nobody has given connections accepts no certificate.
        let byDefault = try await failure(ControllerClient(server.address, token: "secret"))
        #expect(byDefault == expected)
        let connections = HTTPConnections.tls(pinnedTo: nil)
        let client = ControllerClient(server.address, token: "secret", connections: connections)
        let refused = try await failure(client)
        #expect(refused == expected)
        let streamed = await #expect(throws: ControllerConnectionError.self) {
          try await client.listen { _ in true }
        }
        #expect(streamed == expected)
        #expect(server.requests.isEmpty)
      }
    }
  }

  @Test("the confirmed certificate is accepted, whoever signed it and whatever names it has")
  func confirmed() async throws {
    try await withTemporaryFolder { folder in
      let certificate = try await Certificate(folder, name: "elsewhere.example")
      try await ScriptedServer.runOnPort(reply: Self.ok, tls: certificate.context) { server in
        let client = ControllerClient(
          server.address, token: "secret",
          connections: .tls(pinnedTo: certificate.fingerprint))
        let response = try await client.send(.GET, "/")
        #expect(response.json == ["a": true])
        #expect(server.requests.first?.contains("authorization: Bearer secret") == true)
      }
    }
  }

  @Test("another certificate than the confirmed one gets nothing, also from a stream")
  func changed() async throws {
    try await withTemporaryFolder { folder in
      let first = try await Certificate(folder)
      let second = try await Certificate(folder)
      #expect(first.fingerprint != second.fingerprint)
      try await ScriptedServer.runOnPort(reply: Self.ok, tls: second.context) { server in
        let client = ControllerClient(
          server.address, token: "secret", connections: .tls(pinnedTo: first.fingerprint))
        let expected = ControllerConnectionError.certificate(
          server.address, found: second.fingerprint, confirmed: first.fingerprint)
        let refused = try await failure(client)
        #expect(refused == expected)
        let streamed = await #expect(throws: ControllerConnectionError.self) {
          try await client.listen { _ in true }
        }
        #expect(streamed == expected)
        #expect(server.requests.isEmpty)
      }
    }
  }

  @Test("a server without TLS gets nothing, and is named")
  func plainServer() async throws {
    try await ScriptedServer.runOnPort(reply: "HTTP/1.1 400 Bad Request\r\n\r\n") { server in
      guard case .port(let host, let port) = server.address else { return }
      let error = try await failure(ControllerClient(.tls(host: host, port), token: "secret"))
      guard case .untrusted(let reason, let hint) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(reason == "what answers at https://127.0.0.1:\(port) does not speak TLS 1.2 or 1.3")
      #expect(hint.contains("http://"))
      #expect(!server.requests.contains { $0.contains("secret") })
    }
  }

  @Test(
    "plain HTTP is sent to addresses of this machine alone, whatever a name resolves to",
    arguments: [
      ("127.0.0.1", true), ("127.8.9.10", true), ("::1", true), ("192.0.2.7", false),
      ("2001:db8::7", false), ("::ffff:192.0.2.7", false), ("1.27.0.1", false),
    ])
  func plainElsewhere(address: String, isAccepted: Bool) throws {
    let channel = EmbeddedChannel()
    try channel.connect(to: SocketAddress(ipAddress: address, port: 80)).wait()
    let check = PeerCheck.thisMachine.check(channel)
    if isAccepted {
      try check.wait()
    } else {
      let error = #expect(throws: ControllerConnectionError.self) { try check.wait() }
      guard case .untrusted(let reason, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("is not one of this machine"))
    }
  }

  @Test("a head and a body from elsewhere are bounded in size, and a body in time")
  func bounds() async throws {
    let long = "HTTP/1.1 200 OK\r\nx: \(String(repeating: "x", count: 200_000))\r\n\r\n"
    try await ScriptedServer.runOnPort(reply: long) { server in
      let error = try await failure(ControllerClient(server.address))
      #expect(error == .broken("the head of the response is too large"))
    }
    let endless = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"
    try await ScriptedServer.run(reply: endless, closes: false) { server in
      let client = ControllerClient(server.address, connections: Self.hasty)
      let error = try await failure(client)
      #expect(error == .broken("the response takes too long"))
      #expect(await eventually { server.closedConnections == 1 })
    }
  }

  private static let hasty = HTTPConnections(longestBody: .milliseconds(20))

  @Test("the address of a controller with TLS is shown as a URL")
  func description() {
    #expect(ControllerAddress.tls(host: "box", 8080).description == "https://box:8080")
    #expect(ControllerAddress.tls(host: "fd00::1", 443).description == "https://[fd00::1]:443")
  }
}
