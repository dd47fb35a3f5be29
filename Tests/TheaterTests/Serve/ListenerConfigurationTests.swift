import Foundation
import TestSupport
import Testing
import TheaterConfiguration
import WebServer

@testable import theater

@Suite struct ListenerConfigurationTests {
  private func configuration(
    _ host: String?, insecure: Bool = false, _ settings: WebSettings = WebSettings()
  ) throws(ExitError) -> ListenerConfiguration {
    try ListenerConfiguration(host: host, port: nil, isInsecure: insecure, settings: settings)
  }

  @Test("F5 · on the network TLS is used, unless the command line forbids it")
  func protection() throws {
    for host in [nil, "127.0.0.1", "127.9.9.9", "::1", "localhost"] {
      #expect(try configuration(host).protection == .loopback)
      #expect(try configuration(host, insecure: true).protection == .loopback)
      #expect(try configuration(host).scheme == "http")
    }
    for host in ["0.0.0.0", "::", "192.0.2.7", "2001:db8::7", "::ffff:127.0.0.1"] {
      #expect(try configuration(host).protection == .tls(.ownMaking), "\(host)")
      #expect(try configuration(host).scheme == "https")
      #expect(try configuration(host, insecure: true).protection == .insecure)
    }
    let files = WebSettings.TLS.files(certificate: "/c", key: "/k")
    #expect(try configuration(nil, WebSettings(tls: .ownMaking)).protection == .tls(.ownMaking))
    #expect(
      try configuration(nil, WebSettings(host: "0.0.0.0", tls: files)).protection == .tls(files))
    let error = #expect(throws: ExitError.self) {
      try configuration("0.0.0.0", insecure: true, WebSettings(tls: files))
    }
    #expect(error?.text.contains(ListenerConfiguration.insecureOption) == true)
  }

  @Test("F5 · the command line takes precedence over the configuration, and that over the defaults")
  func order() throws {
    let settings = WebSettings(host: "0.0.0.0", port: 9000)
    let configured = try ListenerConfiguration(
      host: nil, port: nil, isInsecure: false, settings: settings)
    #expect(configured.host == "0.0.0.0" && configured.port == 9000)
    let asked = try ListenerConfiguration(
      host: "127.0.0.1", port: 0, isInsecure: false, settings: settings)
    #expect(asked.host == "127.0.0.1" && asked.port == 0)
    let usual = try configuration(nil)
    #expect(usual.host == "127.0.0.1" && usual.port == 8080)
  }

  @Test("F5 · serve and doctor show the same fingerprint and the certificate's maker")
  func fingerprint() throws {
    let home = try TemporaryFolder()
    let paths = ApplicationPaths { $0 == "HOME" ? home.path : nil }
    try ApplicationPaths.make(privately: paths.state)
    let settings = WebSettings(hosts: ["tv.example"])
    #expect(CertificateCheck(settings: settings, paths: paths).findings().isEmpty)
    let kept = try #require(try configuration("0.0.0.0", settings).certificate(paths))
    #expect(kept.certificate.names.isSuperset(of: ["tv.example", "localhost", "127.0.0.1"]))
    #expect(!kept.certificate.names.contains("0.0.0.0"))
    let report = CertificateLines.report(kept).joined(separator: "\n")
    #expect(report.contains("made by this theater"))
    #expect(report.contains(kept.certificate.fingerprint))
    let findings = CertificateCheck(settings: settings, paths: paths).findings()
    #expect(findings.map(\.verdict) == [.good])
    #expect(findings.first?.message.contains(kept.certificate.fingerprint) == true)
    // Without network access no certificate is made.
    #expect(try configuration(nil).certificate(paths) == nil)
  }

  @Test("F5 · a missing certificate of the configuration is an error")
  func missing() throws {
    let settings = WebSettings(
      host: "0.0.0.0", tls: .files(certificate: "/nowhere/c.pem", key: "/nowhere/k.pem"))
    let paths = ApplicationPaths { $0 == "HOME" ? "/nowhere" : nil }
    let error = #expect(throws: ExitError.self) {
      try configuration(nil, settings).certificate(paths)
    }
    #expect(error?.text.contains("/nowhere/c.pem") == true)
    let findings = CertificateCheck(settings: settings, paths: paths).findings()
    #expect(findings.map(\.verdict) == [.bad])
  }
}
