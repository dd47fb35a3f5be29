import JSON

extension ConfigurationReader {
  /// `"web"`, of which the grammar has checked everything.
  func readWeb() -> WebSettings {
    let web = member("web")
    var tls: WebSettings.TLS?
    if let certificate = web["tls"]?["certificate"]?.string, let key = web["tls"]?["key"]?.string {
      tls = .files(certificate: origin.absolute(certificate), key: origin.absolute(key))
    } else if web["tls"] == true {
      tls = .ownMaking
    }
    return WebSettings(
      host: web["host"]?.string, port: web["port"]?.integer,
      hosts: texts(web["hosts"] ?? .null), tls: tls)
  }
}
