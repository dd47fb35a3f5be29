import APIClient
import Glibc
import WebServer

/// The address of a controller that a terminal reaches over TCP: another machine's, or another user's.
struct RemoteAddress: Sendable, Hashable, CustomStringConvertible {
  /// Whether the connection uses TLS; without it the host is this machine.
  let isEncrypted: Bool
  /// In lower case; an IPv6 address without its brackets.
  let host: String
  let port: Int

  /// Reads `https://HOST:PORT`, or `http://` with an address of this machine.
  init(_ text: String) throws(ExitError) {
    guard let scheme = text.firstRange(of: "://"),
      let isEncrypted = Self.schemes[text[..<scheme.lowerBound].lowercased()]
    else {
      // The text of another form may have a password in it.
      let isPlainName = Authority(text).map(Self.hasUsableHost) ?? false
      throw Self.malformed(hint: isPlainName ? "Write https://\(text)." : nil)
    }
    var rest = text[scheme.upperBound...]
    if rest.last == "/" { rest.removeLast() }
    guard let authority = Authority(String(rest)), Self.hasUsableHost(authority) else {
      throw Self.malformed(hint: nil)
    }
    self.isEncrypted = isEncrypted
    host = authority.host
    port = authority.port ?? (isEncrypted ? 443 : 80)
    guard port > 0 else { throw Self.malformed(hint: nil) }
    guard isEncrypted || Self.isOfThisMachine(host) else {
      throw ExitError(
        .wrongUsage, "plain HTTP would show passwords and tokens to everyone on the way to \(host)",
        hint: "Use https://: on the network a controller uses TLS.")
    }
  }

  /// The address as it can be typed: `https://box:8080`.
  var description: String {
    "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The address for the client.
  var controller: ControllerAddress {
    isEncrypted ? .tls(host: host, port) : .port(host: host, port)
  }

  /// The path of the files of this controller, below a folder of the terminal's: it has no `..` and no other slash.
  var fileName: String { "\(host)/\(isEncrypted ? "https" : "http")-\(port)" }

  private static let schemes = ["https": true, "http": false]

  /// Whether each label of a name has 1 to 63 characters. A name may hold dots alone otherwise.
  private static func hasUsableHost(_ authority: Authority) -> Bool {
    authority.host.contains(":")
      || authority.host.split(separator: ".", omittingEmptySubsequences: false)
        .allSatisfy { (1...63).contains($0.utf8.count) }
  }

  /// Whether only this machine has the host's address. The client checks the address that a name has.
  private static func isOfThisMachine(_ host: String) -> Bool {
    var address = in_addr()
    return host == "localhost" || host == "::1"
      || inet_pton(AF_INET, host, &address) == 1 && host.hasPrefix("127.")
  }

  private static func malformed(hint: String?) -> ExitError {
    ExitError(
      .wrongUsage, "that is no address of a controller: expected https://HOST:PORT",
      hint: hint ?? "The start of `theater serve` shows it. For example: https://box.local:8080")
  }
}
