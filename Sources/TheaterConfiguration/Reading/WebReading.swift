import Glibc
import JSON

extension ConfigurationReader {
  /// Reads `"web"`; values with an error get their defaults.
  ///
  /// - Parameter fileProblem: Returns why the file at an absolute path cannot be read; `nil` if it can.
  mutating func readWeb(_ fileProblem: (String) -> String?) -> WebSettings {
    let web = member("web")
    let path: JSONPath = [.key("web")]
    let host = text("host", of: web, at: path)
    if let host, !Self.isHost(host) {
      report(
        .reference, at: path.appending("host"),
        "expected an address or a name of this machine, found \"\(host.quotation)\"",
        hint: "Write 127.0.0.1 for this machine alone, 0.0.0.0 or :: for the network.")
    }
    return WebSettings(
      host: host, port: web["port"]?.integer, hosts: texts(web["hosts"] ?? .null),
      tls: readTLS(fileProblem), eventStreams: web["eventStreams"]?.integer)
  }

  private mutating func readTLS(_ fileProblem: (String) -> String?) -> WebSettings.TLS? {
    let path: JSONPath = [.key("web"), .key("tls")]
    let tls = member("web")["tls"] ?? .null
    if tls == true { return .ownMaking }
    let files = ["certificate", "key"].compactMap { name -> String? in
      guard let file = text(name, of: tls, at: path).map(origin.absolute) else { return nil }
      if let problem = fileProblem(file) {
        report(
          .reference, at: path.appending(name), "expected a PEM file, but \(problem)",
          hint: "Put it there, or write \"tls\": true: then the controller makes a certificate.")
      }
      return file
    }
    return files.count == 2 ? .files(certificate: files[0], key: files[1]) : nil
  }

  /// Whether `host` has the form of an address, with or without a zone, or of a name.
  private static func isHost(_ host: String) -> Bool {
    if host.contains(":") {
      var address = in6_addr()
      return inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1
    }
    if host.allSatisfy({ $0 == "." || $0.isNumber }) {
      var address = in_addr()
      return inet_pton(AF_INET, host, &address) == 1
    }
    return TextRule.hostName.allows(host)
  }
}
