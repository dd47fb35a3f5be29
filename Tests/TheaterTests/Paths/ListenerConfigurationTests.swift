import Foundation
import TestSupport
import Testing
import TheaterConfiguration
import WebServer

@testable import theater

@Suite struct ListenerConfigurationTests {
  private func door(
    _ host: String?, insecure: Bool = false, _ settings: WebSettings = WebSettings()
  ) throws(ExitError) -> ListenerConfiguration {
    try ListenerConfiguration(host: host, port: nil, isInsecure: insecure, settings: settings)
  }

  @Test("F5 · beyond this machine TLS is spoken, unless somebody insists on the opposite")
  func protection() throws {
    for host in [nil, "127.0.0.1", "127.9.9.9", "::1", "localhost"] {
      #expect(try door(host).protection == .loopback)
      #expect(try door(host, insecure: true).protection == .loopback)
      #expect(try door(host).scheme == "http")
    }
    for host in ["0.0.0.0", "::", "192.0.2.7", "2001:db8::7", "::ffff:127.0.0.1"] {
      #expect(try door(host).protection == .tls(.ownMaking), "\(host)")
      #expect(try door(host).scheme == "https")
      #expect(try door(host, insecure: true).protection == .insecure)
    }
    let files = WebSettings.TLS.files(certificate: "/c", key: "/k")
    #expect(try door(nil, WebSettings(tls: .ownMaking)).protection == .tls(.ownMaking))
    #expect(try door(nil, WebSettings(host: "0.0.0.0", tls: files)).protection == .tls(files))
    let error = #expect(throws: ExitError.self) {
      try door("0.0.0.0", insecure: true, WebSettings(tls: files))
    }
    #expect(error?.text.contains(ListenerConfiguration.insecureOption) == true)
  }

  @Test("F5 · the command line wins over the configuration, and that over what is usual")
  func order() throws {
    let settings = WebSettings(host: "0.0.0.0", port: 9000)
    let configured = try ListenerConfiguration(
      host: nil, port: nil, isInsecure: false, settings: settings)
    #expect(configured.host == "0.0.0.0" && configured.port == 9000)
    let asked = try ListenerConfiguration(
      host: "127.0.0.1", port: 0, isInsecure: false, settings: settings)
    #expect(asked.host == "127.0.0.1" && asked.port == 0)
    let usual = try door(nil)
    #expect(usual.host == "127.0.0.1" && usual.port == 8080)
  }

  @Test("F5 · serve and doctor show one fingerprint, and say who made the certificate")
  func fingerprint() throws {
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("door-\(UUID().uuidString.prefix(8))")
    defer { try? FileManager.default.removeItem(at: place) }
    let folders = ApplicationPaths { $0 == "HOME" ? place.path : nil }
    try ApplicationPaths.make(privately: folders.state)
    let settings = WebSettings(hosts: ["tv.example"])
    #expect(CertificateCheckup(settings: settings, folders: folders).findings().isEmpty)
    let kept = try #require(try door("0.0.0.0", settings).certificate(folders))
    #expect(kept.certificate.names.isSuperset(of: ["tv.example", "localhost", "127.0.0.1"]))
    #expect(!kept.certificate.names.contains("0.0.0.0"))
    let report = CertificateLines.report(kept).joined(separator: "\n")
    #expect(report.contains("made by this theater"))
    #expect(report.contains(kept.certificate.fingerprint))
    let findings = CertificateCheckup(settings: settings, folders: folders).findings()
    #expect(findings.map(\.verdict) == [.good])
    #expect(findings.first?.message.contains(kept.certificate.fingerprint) == true)
    // On this machine alone nothing is made.
    #expect(try door(nil).certificate(folders) == nil)
  }

  @Test("F5 · a certificate that the configuration names and that is not there is a mistake")
  func missing() throws {
    let settings = WebSettings(
      host: "0.0.0.0", tls: .files(certificate: "/nowhere/c.pem", key: "/nowhere/k.pem"))
    let folders = ApplicationPaths { $0 == "HOME" ? "/nowhere" : nil }
    let error = #expect(throws: ExitError.self) { try door(nil, settings).certificate(folders) }
    #expect(error?.text.contains("/nowhere/c.pem") == true)
    let findings = CertificateCheckup(settings: settings, folders: folders).findings()
    #expect(findings.map(\.verdict) == [.bad])
  }
}
