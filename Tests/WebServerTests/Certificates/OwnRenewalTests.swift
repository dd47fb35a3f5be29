import Accounts
import Devices
import Foundation
import Logging
import TestSupport
import Testing

@testable import WebServer

@Suite struct OwnRenewalTests {
  /// A controller with a certificate of its own making, that runs for years.
  private struct Years {
    let room: TestServer
    let folder: URL
    let served: ServedCertificate
    let log: RecordedLog
    let clock: ManualClock

    /// Lets this number of days pass. The controller checks its certificate once, and sleeps again
    /// when this returns.
    func advance(days: Double) async {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(days * 86_400))
      await clock.waitForSleepers()
    }

    func auditEntries() async throws -> [AuditEntry] {
      try await room.accountService.audit.entries(newest: 10).filter {
        $0.action == .certificateRenewed
      }
    }
  }

  private func open(_ body: (Years) async throws -> Void) async throws {
    try await withTemporaryFolder { top in
      let folder = top.appendingPathComponent("state")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.appendingPathComponent("tls.pem").path
      let begun = Date()
      let first = try CertificateFiles.loadOrCreate(at: path, names: ["localhost"], now: begun)
      let listener = Listener.port(0, of: "127.0.0.1", certificate: first.certificate)
      let served = try #require(listener.certificate)
      let (clock, log) = (ManualClock(), RecordedLog())
      try await TestServer.open(listener) { room in
        let renewal = OwnRenewal(
          path: path, names: ["localhost"], additionalNames: { ["10.0.0.7"] }, served: served,
          clock: clock, wallClock: WallClock { begun.addingTimeInterval(clock.now().seconds) },
          logger: log.logger,
          onUpdate: { await room.accountService.recordCertificate($0.fingerprint, replacing: $1) })
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await renewal.run() }
          defer { group.cancelAll() }
          try await body(
            Years(room: room, folder: folder, served: served, log: log, clock: clock))
        }
      }
    }
  }

  /// Asks on a connection, and, when `go` is there, on the same one and on a new one; prints each
  /// answer's status with the certificate of its connection.
  private static let visitor = """
    import hashlib, http.client, os, ssl, sys, time
    port, folder = int(sys.argv[1]), sys.argv[2]
    def connect():
        connection = http.client.HTTPSConnection(
            "127.0.0.1", port, context=ssl._create_unverified_context(), timeout=60)
        connection.connect()
        return connection
    def ask(connection):
        connection.request("GET", "/api/v1/health")
        answer = connection.getresponse()
        answer.read()
        shown = hashlib.sha256(connection.sock.getpeercert(True)).hexdigest().upper()
        print(answer.status, ":".join(shown[i:i+2] for i in range(0, 64, 2)))
    first = connect()
    ask(first)
    open(folder + "/ready", "w").close()
    while not os.path.exists(folder + "/go"): time.sleep(0.01)
    ask(first)
    ask(connect())
    """

  @Test("F5 · replaces the self-signed certificate before it expires, without a restart")
  func renewed() async throws {
    try await open { years in
      let before = years.served.current.fingerprint
      let path = years.folder.path
      async let visit = Program.tool(
        ["python3", "-c", Self.visitor, "\(years.room.port)", path])
      #expect(
        await eventually(within: 60) { FileManager.default.fileExists(atPath: path + "/ready") })
      // The last month begins after 794 days.
      await years.advance(days: 793)
      #expect(years.served.current.fingerprint == before)
      #expect(years.log.lines.isEmpty)
      await years.advance(days: 2)
      let after = years.served.current
      #expect(after.fingerprint != before)
      #expect(after.names == ["localhost", "10.0.0.7"])
      #expect(years.log.lines.count == 1)
      #expect(years.log.lines.first?.hasPrefix("notice: the theater's certificate") == true)
      #expect(years.log.lines.first?.contains("\(after.fingerprint) (until now \(before))") == true)
      #expect(
        try await years.auditEntries().map(\.subject) == [
          "SHA-256 \(after.fingerprint), until now \(before)"
        ])
      // An open connection keeps the old certificate; a new connection gets the new one.
      try Data().write(to: URL(fileURLWithPath: path + "/go"))
      let visited = try await visit
      #expect(
        visited.output == "200 \(before)\n200 \(before)\n200 \(after.fingerprint)\n",
        "\(visited.errors)")
      // It is the one that a restart would find, and stays.
      let kept = try CertificateFiles.load(at: path + "/tls.pem")
      #expect(kept?.fingerprint == after.fingerprint)
      await years.advance(days: 300)
      #expect(years.served.current.fingerprint == after.fingerprint)
      #expect(years.log.lines.count == 1)
    }
  }

  @Test("F5 · uses a certificate that another process has already renewed")
  func renewedElsewhere() async throws {
    try await open { years in
      let elsewhere = try CertificateFiles.loadOrCreate(
        at: years.folder.path + "/tls.pem", names: ["localhost"],
        now: Date(timeIntervalSinceNow: 795 * 86_400))
      await years.advance(days: 795)
      #expect(years.served.current.fingerprint == elsewhere.certificate.fingerprint)
      #expect(years.log.lines.count == 1)
      #expect(try await years.auditEntries().count == 1)
    }
  }

  @Test("F5 · logs once that no certificate can be created, and retries")
  func notMade() async throws {
    try await open { years in
      let before = years.served.current.fingerprint
      try FileManager.default.removeItem(at: years.folder)
      await years.advance(days: 795)
      for _ in 0..<3 { await years.advance(days: 0.1) }
      #expect(years.served.current.fingerprint == before)
      #expect(years.log.lines.count == 1)
      #expect(
        years.log.lines.first?.hasPrefix(
          "warning: the theater's certificate cannot be renewed: cannot write ") == true)
      #expect(try await years.auditEntries().isEmpty)
      try FileManager.default.createDirectory(
        at: years.folder, withIntermediateDirectories: true)
      await years.advance(days: 0.1)
      #expect(years.served.current.fingerprint != before)
      #expect(try await years.auditEntries().count == 1)
    }
  }
}
