import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct NetworkTests {
  @Test("F5 · a renewed certificate is served without a restart")
  func renewal() async throws {
    let theater = try SmallTheater(more: [
      "web": ["tls": ["certificate": "chain.pem", "key": "key.pem"]]
    ])
    /// Issues a certificate and moves it into place, as a certificate authority's client does.
    func issue() async throws -> String {
      let made = try await Program.tool(
        "sh", "-c",
        """
        cd "$0" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 \
          -subj /CN=tv -addext subjectAltName=DNS:localhost -keyout new.key -out new.pem \
          2> openssl.log && chmod 600 new.key && mv new.key key.pem && mv new.pem chain.pem \
          && openssl x509 -in chain.pem -noout -fingerprint -sha256
        """, theater.folder.path)
      return try #require(made.output.isEmpty ? nil : made.output, "\(made.errors)")
    }
    let first = try await issue()
    #expect(try await theater.start(), "\(theater.text("log"))")
    #expect(await eventually { theater.text("console").contains("listening on https://") })
    let port = try #require(
      theater.text("console").firstMatch(of: /https:\/\/127\.0\.0\.1:(\d+)/)
    ).output.1
    let ask = """
      openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>/dev/null \
        | openssl x509 -noout -fingerprint -sha256
      """
    #expect(try await Program.tool("sh", "-c", ask).output == first)
    let second = try await issue()
    #expect(first != second)
    #expect(
      await eventually {
        (try? await Program.tool("sh", "-c", ask).output) == second
      })
    #expect(theater.text("log").contains("the certificate was reloaded"))
    await theater.close()
  }

  @Test(
    "F5 · on the network the console, the TLS handshake, doctor and status show the same fingerprint"
  )
  func network() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration.set("web", at: [], ["host": "0.0.0.0", "hosts": ["theater.example.org"]])
    }) { room in
      let code = try await room.setupCode()
      let port = String(
        try #require(room.console.firstMatch(of: /https:\/\/0\.0\.0\.0:(\d+)/)).output.1)
      let shown = String(
        try #require(room.console.firstMatch(of: /SHA-256 ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})/))
          .output.1)
      let wire = try await Program.tool(
        "sh", "-c",
        "openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>/dev/null"
          + " | openssl x509 -noout -fingerprint -sha256 -ext subjectAltName")
      #expect(wire.output.contains("Fingerprint=\(shown)"), "\(wire.errors)")
      #expect(wire.output.contains("DNS:theater.example.org"))
      #expect(try await room.theater("doctor").output.contains(shown))
      // The key is private.
      let key = room.folder.appendingPathComponent("state/theater/tls.pem").path
      let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(!room.console.contains("PRIVATE") && !room.log.contains("PRIVATE"))
      for (host, status) in [
        ("127.0.0.1:\(port)", "401"), ("theater.example.org", "401"), ("evil.example", "421"),
      ] {
        let answer = try await Program.tool(
          "curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: \(host)",
          "https://127.0.0.1:\(port)/api/v1/status")
        #expect(answer.output == status, "\(host)")
      }
      // As docs/http-api.md shows it, and the terminal over its socket.
      let body =
        #"{"setupCode": "\#(code)", "name": "Ann", "email": "ann@example.org", "#
        + #""password": "\#(room.password)"}"#
      let account = try await Program.tool(
        "curl", "-sk", "https://127.0.0.1:\(port)/api/v1/accounts", "-H",
        "Content-Type: application/json", "-d", body)
      #expect(account.output.contains("\"role\":\"owner\""), "\(account.output)")
      try await room.expect(
        "login", "--email", "ann@example.org", "--password-stdin", input: room.password + "\n")
      #expect(try await room.expect("status").contains("certificate  SHA-256 \(shown)"))
    }
  }
}
