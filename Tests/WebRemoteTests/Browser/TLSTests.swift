import Foundation
import JSON
import NIOCore
import TestSupport
import Testing

@testable import WebRemote

@Suite struct TLSTests {
  /// A room that speaks TLS with a certificate of its own making.
  private static func open(
    _ body: (LivingRoom, ServerCertificate, URL) async throws -> Void
  ) async throws {
    try await Program.withFolder { folder in
      let kept = try CertificateFiles.own(
        at: folder.appendingPathComponent("tls.pem").path, for: ["theater.example.org"],
        and: ["localhost", "127.0.0.1", "::1"])
      let door = Listener.port(
        0, of: "127.0.0.1", hosts: HostList(["theater.example.org"]),
        certificate: kept.certificate)
      try await LivingRoom.open(door) { try await body($0, kept.certificate, folder) }
    }
  }

  @Test(
    "F5 · curl and OpenSSL see the certificate that we show, for the names that it was made for")
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
          "https://theater.example.org:\(room.port)/api/health",
        ])
      #expect(answer.output.contains(#""status":"ok""#), "\(answer.errors)")
      // Not trusting it, nobody goes on.
      let stranger = try await Program.tool(
        ["curl", "-sS", "https://127.0.0.1:\(room.port)/api/health"])
      #expect(stranger.status == 60)
    }
  }

  @Test("A10 · with TLS the cookie has the name that keeps others from planting one")
  func hostCookie() async throws {
    try await Self.open { room, _, folder in
      _ = try await room.owner()
      let base = "https://127.0.0.1:\(room.port)"
      let trust = ["curl", "-sS", "-i", "--cacert", folder.appendingPathComponent("tls.pem").path]
      let login = try await Program.tool(
        trust + [
          "-H", "Content-Type: application/json", "-H", "Origin: \(base)", "-H", "X-Theater: 1",
          "-d", #"{"email":"ann@example.org","password":"\#(LivingRoom.password)","cookie":true}"#,
          "\(base)/api/sessions",
        ]
      ).output
      let set = try #require(RawAnswer(text: login).header("set-cookie"))
      #expect(set.hasPrefix("__Host-theater="))
      #expect(set.contains("; Secure") && set.contains("; Path=/") && !set.contains("Domain"))
      let cookie = String(set.split(separator: ";").first ?? "")
      let status = try await Program.tool(
        trust + ["-H", "Cookie: \(cookie)", "\(base)/api/sessions/current"])
      #expect(status.output.contains("ann@example.org"))
      // A page without TLS under our name is another one.
      let plain = try await Program.tool(
        trust + [
          "-X", "POST", "-H", "Cookie: \(cookie)", "-H", "X-Theater: 1", "-H",
          "Origin: http://127.0.0.1:\(room.port)", "\(base)/api/off",
        ])
      #expect(RawAnswer(text: plain.output).status == 403)
    }
  }

  @Test(
    "F5 · old versions of TLS are refused, 1.2 and 1.3 are spoken; who speaks none gets nothing")
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
      let plain = try await room.raw(lines: [
        "GET /api/health HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
      ])
      #expect(plain.status == nil)
    }
  }

  @Test("F5 · who begins TLS and does not go on is let go")
  func slowHandshake() async throws {
    try await Program.withFolder { folder in
      var limits = ConnectionLimits.standard
      limits.firstHead = .milliseconds(200)
      let kept = try CertificateFiles.own(
        at: folder.appendingPathComponent("tls.pem").path, for: ["localhost"])
      let door = Listener.port(0, of: "127.0.0.1", certificate: kept.certificate, limits: limits)
      try await LivingRoom.open(door) { room in
        // The first bytes of a greeting (RFC 8446, section 5.1).
        let answer = try await room.raw([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
        #expect(answer.status == nil)
      }
    }
  }

  @Test("F5 · browsers are told to insist on TLS where the owner brought a certificate, else not")
  func insistence() async throws {
    try await Program.withFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      _ = try CertificateFiles.own(at: path, for: ["localhost"])
      let certificate = try CertificateFiles.owners(certificate: path, key: path)
      for (door, value) in [
        (Listener.port(0, of: "127.0.0.1", certificate: certificate), "max-age=31536000"),
        (.port(0, of: "127.0.0.1", certificate: try CertificateFiles.existing(at: path)), nil),
      ] {
        try await LivingRoom.open(door) { room in
          let answer = try await Program.tool(
            ["curl", "-sSki", "https://127.0.0.1:\(room.port)/api/health"])
          #expect(RawAnswer(text: answer.output).header("strict-transport-security") == value)
        }
      }
    }
  }
}

@Suite struct CertificateFileTests {
  private static let day = 86_400.0

  @Test("F5 · a certificate is made once, for its owner's eyes alone, and kept")
  func made() async throws {
    try await Program.withFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      #expect(try CertificateFiles.existing(at: path) == nil)
      let first = try CertificateFiles.own(at: path, for: ["Theater.example"], and: ["10.0.0.1"])
      #expect(first.isNew && first.replaced == nil && !first.certificate.isOwners)
      #expect(first.certificate.names == ["theater.example", "10.0.0.1"])
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      // Another address of the machine is no reason to have everybody compare fingerprints anew.
      let second = try CertificateFiles.own(at: path, for: ["theater.example"], and: ["10.0.0.2"])
      #expect(!second.isNew)
      #expect(second.certificate.fingerprint == first.certificate.fingerprint)
    }
  }

  @Test("F5 · a new name, and the last 30 days, make a new one, which says what it replaced")
  func renewed() async throws {
    try await Program.withFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      let now = Date()
      let first = try CertificateFiles.own(at: path, for: ["a.example"], now: now)
      let named = try CertificateFiles.own(at: path, for: ["a.example", "2001:DB8::1"], now: now)
      #expect(named.replaced == first.certificate.fingerprint)
      #expect(named.certificate.names == ["a.example", "2001:db8::1"])
      let later = now.addingTimeInterval((SelfSigned.days - 40) * Self.day)
      let kept = try CertificateFiles.own(at: path, for: ["a.example"], now: later)
      #expect(!kept.isNew)
      let end = now.addingTimeInterval((SelfSigned.days - 20) * Self.day)
      let renewed = try CertificateFiles.own(at: path, for: ["a.example"], now: end)
      #expect(renewed.replaced == named.certificate.fingerprint)
      #expect(renewed.certificate.standing(at: end) == .good)
      // A clock that was set back makes a new one too: what is not valid yet serves nobody.
      let before = now.addingTimeInterval(-3 * Self.day)
      #expect(try CertificateFiles.own(at: path, for: ["a.example"], now: before).isNew)
    }
  }

  @Test("F5 · a key that others can read is refused, with what mends it")
  func readableKey() async throws {
    try await Program.withFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      _ = try CertificateFiles.own(at: path, for: ["a.example"])
      for (mode, owners) in [(0o644, true), (0o604, true), (0o640, false)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = #expect(throws: CertificateError.self) {
          _ =
            owners
            ? try CertificateFiles.owners(certificate: path, key: path)
            : try CertificateFiles.own(at: path, for: ["a.example"]).certificate
        }
        #expect(error?.hint.contains("chmod 600") == true)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      #expect(try CertificateFiles.owners(certificate: path, key: path).isOwners)
    }
  }

  @Test("F5 · an owner's chain is shown whole, also through links, and its own names count")
  func ownersChain() async throws {
    try await Program.withFolder { folder in
      let script = """
        set -e
        openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=House -days 9
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out r.csr \\
          -subj /CN=tv
        printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > ext
        openssl x509 -req -in r.csr -CA ca.pem -CAkey ca.key -days 9 -extfile ext -out leaf.pem
        cat leaf.pem ca.pem > chain.pem; chmod 600 key.pem
        ln -s chain.pem live.pem; ln -s key.pem live.key
        """
      let made = try await Program.tool(["bash", "-c", "cd \(folder.path); \(script)"])
      try #require(made.status == 0, "\(made.errors)")
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      let certificate = try CertificateFiles.owners(
        certificate: path("live.pem"), key: path("live.key"))
      #expect(certificate.names == ["localhost", "127.0.0.1"])
      #expect(certificate.standing() == .endsSoon)
      let door = Listener.port(0, of: "127.0.0.1", certificate: certificate)
      try await LivingRoom.open(door) { room in
        let answer = try await Program.tool(
          [
            "curl", "-sS", "--cacert", path("ca.pem"),
            "https://localhost:\(room.port)/api/health",
          ])
        #expect(answer.output.contains(#""status":"ok""#), "\(answer.errors)")
      }
      #expect(throws: CertificateError.self) {
        _ = try CertificateFiles.owners(certificate: path("leaf.pem"), key: path("ca.key"))
      }
    }
  }

  @Test(
    "F5 · what is no certificate, no key or not there is said in a sentence",
    arguments: ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func garbage(text: String) async throws {
    try await Program.withFolder { folder in
      let path = folder.appendingPathComponent("x.pem").path
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let error = #expect(throws: CertificateError.self) {
        _ = try CertificateFiles.owners(certificate: path, key: path)
      }
      #expect(error?.message.contains("x.pem") == true)
      #expect(throws: CertificateError.self) {
        _ = try CertificateFiles.owners(certificate: path + ".none", key: path)
      }
    }
  }
}
