import Foundation
import Logging
import TestSupport
import Testing

@testable import WebServer

@Suite struct RenewalTests {
  /// A running server with a certificate from the owner, whose files a test replaces.
  fileprivate struct Fixture: Sendable {
    let room: TestServer
    let folder: URL
    let clock: ManualClock
    let log: RecordedLog

    /// Creates a self-signed certificate and its key, as an owner would provide them.
    static func issue(_ name: String, in folder: URL) async throws {
      let made = try await Program.tool(
        [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
          "-nodes", "-keyout", folder.path + "/\(name).key", "-out", folder.path + "/\(name).pem",
          "-days", "90", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost",
        ])
      try #require(made.status == 0, "\(made.errors)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: folder.path + "/\(name).key")
    }

    /// Replaces a file that the controller reads by renaming another one, as renewing programs do.
    func replace(_ name: String, as kind: String) throws {
      let draft = folder.path + "/draft"
      try? FileManager.default.removeItem(atPath: draft)
      try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: draft)
      _ = rename(draft, "\(folder.path)/live.\(kind)")
    }

    /// Lets the controller poll the files `count` times.
    func awaitPolls(_ count: Int) async {
      for _ in 0..<count {
        await clock.waitForSleepers()
        clock.advance(by: CertificateRenewal.interval)
      }
      await clock.waitForSleepers()
    }

    /// Returns the fingerprint of the certificate that the server sends, as OpenSSL prints it.
    func servedFingerprint() async throws -> String {
      let greeting = try await Program.tool(
        ["openssl", "s_client", "-connect", "127.0.0.1:\(room.port)"])
      return try await Self.fingerprint(greeting.output, folder)
    }

    /// Returns the fingerprint of a certificate file, as OpenSSL prints it.
    func fingerprint(of name: String) async throws -> String {
      try await Self.fingerprint(
        String(contentsOfFile: "\(folder.path)/\(name).pem", encoding: .utf8), folder)
    }

    private static func fingerprint(_ text: String, _ folder: URL) async throws -> String {
      try await Program.tool(
        ["openssl", "x509", "-noout", "-fingerprint", "-sha256"], input: text
      ).output
    }
  }

  private func open(
    date: @escaping @Sendable () -> Date = { Date() }, _ body: (Fixture) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      for name in ["first", "second"] { try await Fixture.issue(name, in: folder) }
      for (name, live) in [("first.pem", "live.pem"), ("first.key", "live.key")] {
        try FileManager.default.copyItem(
          at: folder.appendingPathComponent(name), to: folder.appendingPathComponent(live))
      }
      let (pem, key) = (folder.path + "/live.pem", folder.path + "/live.key")
      let listener = Listener.port(
        0, of: "127.0.0.1", certificate: try CertificateFiles.loadOwners(certificate: pem, key: key)
      )
      let (clock, log) = (ManualClock(), RecordedLog())
      let renewal = CertificateRenewal(
        certificate: pem, key: key, served: try #require(listener.certificate), clock: clock,
        date: date, logger: log.logger)
      try await TestServer.open(listener) { room in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await renewal.run() }
          defer { group.cancelAll() }
          try await body(Fixture(room: room, folder: folder, clock: clock, log: log))
        }
      }
    }
  }

  @Test("F5 · uses a renewed certificate for the next connection")
  func renewed() async throws {
    try await open { fixture in
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "first"))
      await fixture.awaitPolls(3)
      #expect(fixture.log.lines.isEmpty)
      // A poll between the two replacements logs nothing.
      try fixture.replace("second.pem", as: "pem")
      await fixture.awaitPolls(1)
      try fixture.replace("second.key", as: "key")
      await fixture.awaitPolls(1)
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "first"))
      await fixture.awaitPolls(1)
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "second"))
      #expect(fixture.log.lines.count == 1)
      #expect(fixture.log.lines.first?.hasPrefix("notice: the certificate was reloaded") == true)
    }
  }

  /// The mistakes of new files.
  enum Fault: String, CaseIterable {
    case noCertificate, otherKey, readableKey, missing, expired

    fileprivate func happens(to fixture: Fixture) async throws {
      let files = FileManager.default
      let live = fixture.folder.path + "/live"
      switch self {
      case .noCertificate: try Data("nonsense".utf8).write(to: URL(fileURLWithPath: live + ".pem"))
      case .otherKey: try fixture.replace("second.pem", as: "pem")
      case .readableKey:
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: live + ".key")
      case .missing: try files.removeItem(atPath: live + ".key")
      case .expired:
        let past = Date(timeIntervalSinceNow: -2 * SelfSigned.days * 86_400)
        let file = fixture.folder.path + "/third"
        try Data(SelfSigned.make(for: ["localhost"], at: past).utf8)
          .write(to: URL(fileURLWithPath: file))
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        for kind in ["pem", "key"] { try fixture.replace("third", as: kind) }
      }
    }

    var message: String {
      switch self {
      case .noCertificate: "live.pem holds no certificate in PEM form"
      case .otherKey: "the key does not fit the certificate"
      case .readableKey: "live.key holds a key and can be read by others"
      case .missing: "there is no file"
      case .expired: "live.pem is not valid now"
      }
    }
  }

  @Test(
    "F5 · logs an unusable new certificate once and keeps the old one",
    arguments: Fault.allCases)
  func broken(fault: Fault) async throws {
    try await open { fixture in
      try await fault.happens(to: fixture)
      await fixture.awaitPolls(4)
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "first"))
      #expect(fixture.log.lines.count == 1)
      let line = try #require(fixture.log.lines.first)
      #expect(line.hasPrefix("warning: the new certificate is not used: "), "\(line)")
      #expect(line.contains(fault.message), "\(line)")
      #expect(!line.contains("PRIVATE"))
      // A corrected certificate and key are used without a restart.
      for kind in ["pem", "key"] { try fixture.replace("second.\(kind)", as: kind) }
      await fixture.awaitPolls(2)
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "second"))
    }
  }

  @Test("F5 · uses a certificate that is not valid yet as soon as it becomes valid")
  func early() async throws {
    let date = ManualDate()
    try await open(date: { date.now }) { fixture in
      let file = fixture.folder.path + "/third.pem"
      let valid = date.now.addingTimeInterval(10 * 86_400)
      try Data(SelfSigned.make(for: ["localhost"], at: valid).utf8)
        .write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      for kind in ["pem", "key"] { try fixture.replace("third.pem", as: kind) }
      await fixture.awaitPolls(4)
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "first"))
      #expect(fixture.log.lines.count == 1)
      date.advance(by: 11 * 86_400)
      await fixture.awaitPolls(1)
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "third"))
      #expect(fixture.log.lines.count == 2)
    }
  }

  @Test("F5 · notices a certificate and key that are replaced by symbolic links")
  func links() async throws {
    try await open { fixture in
      let files = FileManager.default
      for kind in ["pem", "key"] {
        let live = "\(fixture.folder.path)/live.\(kind)"
        try files.removeItem(atPath: live)
        try files.createSymbolicLink(atPath: live, withDestinationPath: "second.\(kind)")
      }
      await fixture.awaitPolls(2)
      #expect(try await fixture.servedFingerprint() == fixture.fingerprint(of: "second"))
    }
  }
}
