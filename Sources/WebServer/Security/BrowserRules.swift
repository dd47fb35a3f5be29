import HTTPTypes
import Hummingbird

/// The checks against cross-site requests, made for every request to a listener for browsers.
///
/// A browser adds the session cookie to requests of any page. So a request from a browser must prove
/// that the theater's own page made it: by its target (`Host`), by the browser's statement about the
/// page (`Origin`, `Sec-Fetch-Site`), and by a header that another site's page can only add after a CORS
/// preflight, which is always refused. Programs send no such headers and add their token themselves;
/// for them only `Host` is checked.
///
/// The Unix socket has no rules: browsers cannot open it.
package struct BrowserRules: Sendable {
  /// The header that the theater's page adds to every request with a side effect.
  static let ownHeader = "X-Theater"

  let hosts: HostList
  /// Whether the listener speaks TLS.
  let isEncrypted: Bool

  /// - Parameters:
  ///   - hosts: The host names that requests may use.
  ///   - isEncrypted: Whether the listener uses TLS.
  package init(hosts: HostList, isEncrypted: Bool) {
    self.hosts = hosts
    self.isEncrypted = isEncrypted
  }

  /// Checks a request to the listener on `port`.
  ///
  /// - Throws: 400 without exactly one host, 421 for a wrong host, 403 for a cross-site request.
  func check(_ request: HTTPRequest, port: Int) throws(APIError) {
    let host = try self.host(of: request)
    guard hosts.admits(host, port: port, standardPort: isEncrypted ? 443 : 80) else {
      throw .misdirected
    }
    let fields = request.headerFields
    let origins = fields[values: .origin]
    guard origins.isEmpty || origins.count == 1 && isSameOrigin(origins[0], host) else {
      throw .crossSite
    }
    let isUnsafe = ![.get, .head, .options].contains(request.method)
    let sites = fields[values: .secFetchSite]
    let mayFollowLink = !isUnsafe && isLinkToPage(request)
    guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" && !isUnsafe || mayFollowLink })
    else { throw .crossSite }
    guard isUnsafe else { return }
    let comesFromBrowser =
      !origins.isEmpty || fields.contains { $0.name == .cookie || $0.name.isFetchMetadata }
    if comesFromBrowser, fields[values: .ownHeader] != ["1"] { throw .withoutOwnHeader }
  }

  /// The host of the request, which must be exactly one (RFC 9112, section 3.2).
  private func host(of request: HTTPRequest) throws(APIError) -> Authority {
    guard let name = request.authority, !request.headerFields.contains(.anotherHost),
      let host = Authority(name)
    else { throw .oneHost }
    return host
  }

  /// Whether a person follows a link of another site, such as an invitation in a web mailer, to an
  /// address of the page. The answer is the same for everyone, and no frame shows it.
  private func isLinkToPage(_ request: HTTPRequest) -> Bool {
    let fields = request.headerFields
    let path = request.path?.prefix { $0 != "?" } ?? ""
    return fields[values: .secFetchMode] == ["navigate"]
      && fields[values: .secFetchDest] == ["document"] && fields[values: .origin].isEmpty
      && Site.addresses.contains(String(path))
  }

  /// Whether `origin` is the host and port of the request, with a scheme no weaker than the listener's.
  /// A proxy in front may have added TLS.
  private func isSameOrigin(_ origin: String, _ host: Authority) -> Bool {
    let schemes = isEncrypted ? [("https://", 443)] : [("http://", 80), ("https://", 443)]
    for (scheme, standardPort) in schemes where origin.hasPrefix(scheme) {
      guard let page = Authority(String(origin.dropFirst(scheme.count))) else { return false }
      return page.host == host.host
        && page.port ?? standardPort == host.port ?? standardPort
    }
    return false
  }
}

extension HTTPField.Name {
  /// Whether only browsers can set it (W3C Fetch Metadata).
  fileprivate var isFetchMetadata: Bool { canonicalName.hasPrefix("sec-fetch-") }
}

extension APIError {
  static let oneHost = APIError(
    .badRequest, "malformed", "the request does not name one host",
    hint: "Send exactly one Host header: the name and port of the theater.")

  static let misdirected = APIError(
    .misdirectedRequest, "misdirected", "Host is not a name of this theater",
    hint: "Use an address, localhost or a .local name with the right port, or add the name to "
      + "\"web\": {\"hosts\": […]} in devices.json.")

  static let crossSite = APIError(
    .forbidden, "crossSite", "the request was made by another site's page",
    hint: "In a browser only the theater's own page may send requests.")

  static let withoutOwnHeader = APIError(
    .forbidden, "crossSite", "a request from a browser lacks \(BrowserRules.ownHeader): 1",
    hint: "Add the header; a program without cookies needs none.")
}
