import HTTPTypes
import Hummingbird

/// What a listener that browsers can reach asks of every request, before anything is looked up.
///
/// A browser lends its person's session to every page that it shows. So a request that comes from
/// one must show that it was made by our own page: by its target (`Host`), by what the browser says
/// of the page (`Origin`, `Sec-Fetch-Site`), and by a header that no foreign page can add without
/// being asked for permission first, which is never given. Programs send none of a browser's headers
/// and carry their token themselves: for them the first check is the only one.
///
/// The Unix socket has no rules: no browser can open it, its folder is its user's alone, and there
/// is no name by which one comes there.
package struct BrowserRules: Sendable {
  /// The header that our pages add to what changes something.
  static let ownHeader = "X-Theater"

  let hosts: HostList
  /// Whether the listener speaks TLS.
  let isEncrypted: Bool

  package init(hosts: HostList, isEncrypted: Bool) {
    self.hosts = hosts
    self.isEncrypted = isEncrypted
  }

  /// Lets a request pass, or throws why not.
  ///
  /// - Parameter port: The listener's own.
  func check(_ request: HTTPRequest, port: Int) throws(APIError) {
    let host = try self.host(of: request)
    guard hosts.admits(host, port: port, standardPort: isEncrypted ? 443 : 80) else {
      throw .misdirected
    }
    let fields = request.headerFields
    let origins = fields[values: .origin]
    guard origins.isEmpty || origins.count == 1 && isOurs(origins[0], host) else {
      throw .crossSite
    }
    let isUnsafe = ![.get, .head, .options].contains(request.method)
    let sites = fields[values: .secFetchSite]
    guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" && !isUnsafe }) else {
      throw .crossSite
    }
    guard isUnsafe else { return }
    let comesFromBrowser =
      !origins.isEmpty || fields.contains { $0.name == .cookie || $0.name.isFetchMetadata }
    if comesFromBrowser, fields[values: .ownHeader] != ["1"] { throw .withoutOwnHeader }
  }

  /// The one host that a request names (RFC 9112, section 3.2).
  private func host(of request: HTTPRequest) throws(APIError) -> Authority {
    guard let name = request.authority, !request.headerFields.contains(.anotherHost),
      let host = Authority(name)
    else { throw .oneHost }
    return host
  }

  /// Whether a page at `origin` is ours: the host and port that were asked for, and no weaker a
  /// scheme than the listener's. A proxy in front may have added TLS.
  private func isOurs(_ origin: String, _ host: Authority) -> Bool {
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
  /// Whether a browser alone can set it, and says by it where a request comes from (W3C Fetch
  /// Metadata).
  fileprivate var isFetchMetadata: Bool { canonicalName.hasPrefix("sec-fetch-") }
}

extension APIError {
  static let oneHost = APIError(
    .badRequest, "malformed", "the request does not name one host",
    hint: "Send exactly one Host header: the name and port of the theater.")

  static let misdirected = APIError(
    .misdirectedRequest, "misdirected", "this theater does not go by that name",
    hint: "Ask by address, by localhost or by a .local name with the right port; further names "
      + "stand in \"web\": {\"hosts\": […]} of devices.json.")

  static let crossSite = APIError(
    .forbidden, "crossSite", "the request was made by another site's page",
    hint: "Only the theater's own page may ask from a browser.")

  static let withoutOwnHeader = APIError(
    .forbidden, "crossSite", "a request from a browser lacks \(BrowserRules.ownHeader): 1",
    hint: "Add the header; a program without cookies needs none.")
}
