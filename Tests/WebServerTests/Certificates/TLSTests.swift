import APIClient
import Foundation
import JSON
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

@Suite struct TLSTests {
  /// A room that speaks TLS with a certificate of its own making.
  private static func open(
    _ body: (TestServer, ServerCertificate, URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let certificate = try CertificateFiles.loadOrCreate(
        at: folder.appendingPathComponent("tls.pem").path, names: ["theater.example.org"],
        additionalNames: ["localhost", "127.0.0.1", "::1"]
      ).certificate
      let listener = Listener.port(
        0, of: "127.0.0.1", hosts: HostList(["theater.example.org"]), certificate: certificate)
      try await TestServer.open(listener) { try await body($0, certificate, folder) }
    }
  }

  @Test(
    "F5 · presents the certificate to curl and OpenSSL with its names")
  func fingerprint() async throws {
    try await Self.open { room, certificate, folder in
      let shown = try await Program.tool(
        [
          "openssl", "s_client", "-connect", "127.0.0.1:\(room.port)", "-servername",
          "theater.example.org", "-alpn", "http/1.1",
        ])
      #expect(shown.output.contains("ALPN protocol: http/1.1"))
      let facts = try await Program.tool(
        [
          "openssl", "x509", "-noout", "-fingerprint", "-sha256", "-ext",
          "subjectAltName,extendedKeyUsage,basicConstraints,keyUsage",
        ], input: shown.output
      ).output
      #expect(facts.contains("Fingerprint=\(certificate.fingerprint)"))
      #expect(facts.contains("DNS:theater.example.org"))
      #expect(facts.contains("DNS:localhost"))
      #expect(facts.contains("IP Address:127.0.0.1"))
      #expect(facts.contains("IP Address:0:0:0:0:0:0:0:1"))
      #expect(facts.contains("TLS Web Server Authentication"))
      #expect(facts.contains("CA:FALSE"))
      // Trusting it, curl checks names, times and signature.
      let answer = try await Program.tool(
        [
          "curl", "-sS", "--cacert", folder.appendingPathComponent("tls.pem").path, "--resolve",
          "theater.example.org:\(room.port):127.0.0.1",
          "https://theater.example.org:\(room.port)/api/v1/health",
        ])
      #expect(answer.output.contains(#""status":"ok""#), "\(answer.errors)")
      // A client that does not trust the certificate refuses the connection.
      let stranger = try await Program.tool(
        ["curl", "-sS", "https://127.0.0.1:\(room.port)/api/v1/health"])
      #expect(stranger.status == 60)
    }
  }

  @Test("F5 · tells users the fingerprint, end and maker of the certificate, and strangers nothing")
  func address() async throws {
    try await Self.open { room, certificate, _ in
      let answer = try await room.owner().send(.GET, "/api/v1/address")
      #expect(answer.json["fingerprint"]?.string == certificate.fingerprint)
      #expect(answer.json["selfSigned"] == true)
      let end = answer.json["certificateExpires"]?.string
      #expect(end?.hasPrefix(certificate.lastDay) == true)
      #expect(try await room.stranger.send(.GET, "/api/v1/address").status == 401)
    }
    try await TestServer.open { room in
      let answer = try await room.owner().send(.GET, "/api/v1/address")
      #expect(answer.json == [:])
    }
  }

  @Test("prefixes the cookies with __Host- over TLS")
  func hostCookie() async throws {
    try await Self.open { room, _, folder in
      _ = try await room.owner()
      let base = "https://127.0.0.1:\(room.port)"
      let trust = ["curl", "-sS", "-i", "--cacert", folder.appendingPathComponent("tls.pem").path]
      let login = try await Program.tool(
        trust + [
          "-H", "Content-Type: application/json", "-H", "Origin: \(base)", "-H", "X-Theater: 1",
          "-d", #"{"email":"ann@example.org","password":"\#(TestServer.password)","cookie":true}"#,
          "\(base)/api/v1/sessions",
        ]
      ).output
      let set = try #require(RawAnswer(text: login).header("set-cookie"))
      #expect(set.hasPrefix("__Host-theater="))
      let sets = RawAnswer(text: login).headers("set-cookie")
      #expect(sets.count == 2 && sets.last?.hasPrefix("__Host-theater-device=") == true)
      for set in sets {
        #expect(set.contains("; Secure") && set.contains("; Path=/") && !set.contains("Domain"))
        #expect(set.contains("; HttpOnly") && set.contains("; SameSite=Strict"))
      }
      let cookie = String(set.split(separator: ";").first ?? "")
      let status = try await Program.tool(
        trust + ["-H", "Cookie: \(cookie)", "\(base)/api/v1/sessions/current"])
      #expect(status.output.contains("ann@example.org"))
      // A page without TLS under our name is another one.
      let plain = try await Program.tool(
        trust + [
          "-X", "POST", "-H", "Cookie: \(cookie)", "-H", "X-Theater: 1", "-H",
          "Origin: http://127.0.0.1:\(room.port)", "\(base)/api/v1/off",
        ])
      #expect(RawAnswer(text: plain.output).status == 403)
    }
  }

  @Test(
    "F5 · accepts TLS 1.2 and 1.3 only")
  func versions() async throws {
    try await Self.open { room, _, folder in
      let program = """
        import socket, ssl, sys
        def version(which):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.set_ciphers("DEFAULT:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = which
            try:
                with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10) as plain:
                    with context.wrap_socket(plain) as channel:
                        return channel.version()
            except (ssl.SSLError, ConnectionError):
                return "refused"
        import warnings
        warnings.simplefilter("ignore")
        print([version(v) for v in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1,
                                    ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)])
        """
      let answer = try await Program.tool(["python3", "-c", program, "\(room.port)"])
      #expect(
        answer.output == "['refused', 'refused', 'TLSv1.2', 'TLSv1.3']\n", "\(answer.errors)")
      let plain = try await room.sendRaw(lines: [
        "GET /api/v1/health HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
      ])
      #expect(plain.status == nil)
    }
  }

  @Test(
    "F5 · offers only ephemeral keys and authenticated encryption with TLS 1.2",
    arguments: ["ec -pkeyopt ec_paramgen_curve:P-256", "rsa:2048"])
  func ciphers(kind: String) async throws {
    try await withTemporaryFolder { folder in
      let made = try await Program.tool(
        [
          "sh", "-c",
          "cd \(folder.path) && umask 077 && openssl req -x509 -newkey \(kind) -nodes -days 9 "
            + "-keyout key.pem -out cert.pem -subj /CN=tv",
        ])
      try #require(made.status == 0, "\(made.errors)")
      let listener = Listener.port(
        0, of: "127.0.0.1",
        certificate: try CertificateFiles.loadOwners(
          certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem"))
      try await TestServer.open(listener) { room in
        for (suites, isSpoken) in [
          ("ECDHE+AESGCM", true), ("ECDHE+CHACHA20", true),
          ("ECDHE+AES:!AESGCM:!AESCCM", false), ("kRSA", false), ("DHE", false), ("3DES", false),
        ] {
          let greeting = try await Program.tool(
            [
              "openssl", "s_client", "-connect", "127.0.0.1:\(room.port)", "-tls1_2", "-cipher",
              "\(suites):@SECLEVEL=0",
            ])
          #expect(
            greeting.output.contains("Cipher is ECDHE") == isSpoken, "\(suites): \(greeting.output)"
          )
        }
      }
    }
  }

  @Test("F5 · closes a connection that does not finish the TLS handshake")
  func slowHandshake() async throws {
    try await withTemporaryFolder { folder in
      var limits = ConnectionLimits.standard
      limits.firstHead = .milliseconds(200)
      let certificate = try CertificateFiles.loadOrCreate(
        at: folder.appendingPathComponent("tls.pem").path, names: ["localhost"]
      ).certificate
      let listener = Listener.port(0, of: "127.0.0.1", certificate: certificate, limits: limits)
      try await TestServer.open(listener) { room in
        // The first bytes of a greeting (RFC 8446, section 5.1).
        let answer = try await room.sendRaw([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
        #expect(answer.status == nil)
      }
    }
  }

  @Test("F5 · logs nothing when a connection breaks within a request")
  func brokenOff() async throws {
    try await Self.open { room, _, folder in
      let program = """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        port = int(sys.argv[1])
        for body in (b"{", b"zz\\r\\n"):
            with socket.create_connection(("127.0.0.1", port), 10) as plain:
                channel = context.wrap_socket(plain)
                length = b"Content-Length: 60" if body == b"{" else b"Transfer-Encoding: chunked"
                channel.sendall(b"POST /api/v1/sessions HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n" % port
                    + b"Content-Type: application/json\\r\\n" + length + b"\\r\\n\\r\\n" + body)
                if body != b"{":
                    print(channel.recv(100).decode().split("\\r\\n")[0])
                channel.detach()
        """
      let answer = try await Program.tool(["python3", "-c", program, "\(room.port)"])
      #expect(answer.output == "HTTP/1.1 400 Bad Request\n", "\(answer.errors)")
      #expect(
        await eventually {
          room.log.lines.contains { $0 == "debug: POST /api/v1/sessions: the body breaks off" }
        })
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
    }
  }

  @Test("F5 · sends Strict-Transport-Security only with the owner's certificate")
  func insistence() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      _ = try CertificateFiles.loadOrCreate(at: path, names: ["localhost"])
      let certificate = try CertificateFiles.loadOwners(certificate: path, key: path)
      for (listener, value) in [
        (Listener.port(0, of: "127.0.0.1", certificate: certificate), "max-age=31536000"),
        (.port(0, of: "127.0.0.1", certificate: try CertificateFiles.load(at: path)), nil),
      ] {
        try await TestServer.open(listener) { room in
          let answer = try await Program.tool(
            ["curl", "-sSki", "https://127.0.0.1:\(room.port)/api/v1/health"])
          #expect(RawAnswer(text: answer.output).header("strict-transport-security") == value)
        }
      }
    }
  }
}
