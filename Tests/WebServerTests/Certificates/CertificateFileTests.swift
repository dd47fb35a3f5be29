import Foundation
import TestSupport
import Testing

@testable import WebServer

@Suite struct CertificateFileTests {
  private static let day = 86_400.0

  @Test("F5 · creates a self-signed certificate once, with mode 0600")
  func made() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      #expect(try CertificateFiles.load(at: path) == nil)
      let first = try CertificateFiles.loadOrCreate(
        at: path, names: ["Theater.example"], additionalNames: ["10.0.0.1"])
      #expect(first.replaced == nil && !first.certificate.isOwners)
      #expect(first.certificate.names == ["theater.example", "10.0.0.1"])
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      // Another address of the machine does not replace the certificate: every user would have to
      // compare fingerprints again.
      let second = try CertificateFiles.loadOrCreate(
        at: path, names: ["theater.example"], additionalNames: ["10.0.0.2"])
      #expect(second.certificate.fingerprint == first.certificate.fingerprint)
    }
  }

  @Test("F5 · replaces the certificate for a new name and in its last 30 days")
  func renewed() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      let now = Date()
      let first = try CertificateFiles.loadOrCreate(at: path, names: ["a.example"], now: now)
      let named = try CertificateFiles.loadOrCreate(
        at: path, names: ["a.example", "2001:DB8::1"], now: now)
      #expect(named.replaced == first.certificate.fingerprint)
      #expect(named.certificate.names == ["a.example", "2001:db8::1"])
      let later = now.addingTimeInterval((SelfSigned.days - 40) * Self.day)
      let kept = try CertificateFiles.loadOrCreate(at: path, names: ["a.example"], now: later)
      #expect(kept.certificate.fingerprint == named.certificate.fingerprint)
      let end = now.addingTimeInterval((SelfSigned.days - 20) * Self.day)
      let renewed = try CertificateFiles.loadOrCreate(at: path, names: ["a.example"], now: end)
      #expect(renewed.replaced == named.certificate.fingerprint)
      #expect(renewed.certificate.validity(at: end) == .good)
      // After the clock was set back a new certificate is made too, because the old one is not
      // valid yet.
      let before = now.addingTimeInterval(-3 * Self.day)
      let early = try CertificateFiles.loadOrCreate(at: path, names: ["a.example"], now: before)
      #expect(early.replaced == renewed.certificate.fingerprint)
    }
  }

  @Test("F5 · refuses a key that others can read, and names the command that repairs it")
  func readableKey() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("tls.pem").path
      _ = try CertificateFiles.loadOrCreate(at: path, names: ["a.example"])
      // A group may read the owner's key, and keeps that right.
      for (mode, owners, repaired) in [
        (0o644, true, "640"), (0o604, true, "600"), (0o640, false, "600"),
      ] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = #expect(throws: CertificateError.self) {
          _ =
            owners
            ? try CertificateFiles.loadOwners(certificate: path, key: path)
            : try CertificateFiles.loadOrCreate(at: path, names: ["a.example"]).certificate
        }
        #expect(error?.hint.contains("chmod \(repaired) ") == true)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      #expect(try CertificateFiles.loadOwners(certificate: path, key: path).isOwners)
    }
  }

  @Test("F5 · sends the owner's whole certificate chain, also from files behind symbolic links")
  func ownersChain() async throws {
    try await withTemporaryFolder { folder in
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
      let certificate = try CertificateFiles.loadOwners(
        certificate: path("live.pem"), key: path("live.key"))
      #expect(certificate.names == ["localhost", "127.0.0.1"])
      #expect(certificate.validity() == .endsSoon)
      let listener = Listener.port(0, of: "127.0.0.1", certificate: certificate)
      try await TestServer.open(listener) { room in
        let answer = try await Program.tool(
          [
            "curl", "-sS", "--cacert", path("ca.pem"),
            "https://localhost:\(room.port)/api/v1/health",
          ])
        #expect(answer.output.contains(#""status":"ok""#), "\(answer.errors)")
      }
      #expect(throws: CertificateError.self) {
        _ = try CertificateFiles.loadOwners(certificate: path("leaf.pem"), key: path("ca.key"))
      }
    }
  }

  @Test(
    "F5 · explains what is wrong with a certificate or key file",
    arguments: ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func garbage(text: String) async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("x.pem").path
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let error = #expect(throws: CertificateError.self) {
        _ = try CertificateFiles.loadOwners(certificate: path, key: path)
      }
      #expect(error?.message.contains("x.pem") == true)
      #expect(throws: CertificateError.self) {
        _ = try CertificateFiles.loadOwners(certificate: path + ".none", key: path)
      }
    }
  }

  @Test("F5 · refuses a certificate in a folder, a device or a file of more than 256 KiB")
  func otherFiles() async throws {
    try await withTemporaryFolder { folder in
      let large = folder.appendingPathComponent("large.pem").path
      try Data(count: 256 * 1024 + 1).write(to: URL(fileURLWithPath: large))
      for (path, reason) in [
        (large, "larger than 256 KiB"), (folder.path, "a folder"), ("/dev/zero", "a device"),
      ] {
        let error = #expect(throws: CertificateError.self) {
          _ = try CertificateFiles.loadOwners(certificate: path, key: path)
        }
        #expect(error?.message.contains(reason) == true, "\(path)")
      }
    }
  }
}
