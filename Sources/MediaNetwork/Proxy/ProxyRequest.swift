/// A request to the proxy: a file of a server, or a tunnel to it for TLS.
struct ProxyRequest: Equatable {
  /// The longest head that is read, in bytes, and the most header fields.
  static let longest = 16_384
  static let mostFields = 64

  /// The server to connect to.
  let server: ConnectionRule.Server
  /// The value of the header `Proxy-Authorization`; nil without one.
  let authorization: String?
  /// The head for the server; nil for a tunnel.
  let forwarded: [UInt8]?

  /// The requested address; nil for a tunnel.
  let address: MediaAddress?
  /// The value of the header `Range`; nil without one.
  let range: String?

  /// The position of the first requested byte, if it is not the beginning of the file.
  var position: Int? {
    let unit = "bytes="
    guard let range, range.hasPrefix(unit) else { return nil }
    return Int(range.dropFirst(unit.count).prefix { $0 != "-" }).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns the offset behind the head; nil while it is incomplete.
  static func end(in bytes: [UInt8]) -> Int? {
    let mark: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
    guard bytes.count >= mark.count else { return nil }
    return (0...(bytes.count - mark.count)).first {
      bytes[$0..<($0 + mark.count)].elementsEqual(mark)
    }
    .map { $0 + mark.count }
  }

  /// Reads a head.
  ///
  /// - Throws: The problem with a request that the proxy does not serve.
  init(_ head: some Collection<UInt8>) throws(NetworkAccess.Problem) {
    let lines = head.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0[...] }
    guard let first = lines.first, lines.count <= Self.mostFields,
      lines.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
    else { throw .invalidRequest }
    let words = String(decoding: first, as: UTF8.self).split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw .invalidRequest }
    var authorization: String?
    var range: String?
    var kept: [String] = []
    for line in lines.dropFirst() where !line.isEmpty {
      let text = String(decoding: line, as: UTF8.self)
      guard let colon = text.firstIndex(of: ":") else { throw .invalidRequest }
      let name = text[..<colon].lowercased()
      if name == "proxy-authorization" {
        authorization = String(text[text.index(after: colon)...].drop { $0 == " " })
      } else if !Self.ownFields.contains(name) {
        kept.append(text)
        if name == "range" { range = String(text[text.index(after: colon)...].drop { $0 == " " }) }
      }
    }
    self.range = range
    self.authorization = authorization
    switch words[0] {
    case "CONNECT":
      guard let (host, port) = MediaAddress.hostAndPort(words[1], defaultPort: nil) else {
        throw .invalidRequest
      }
      server = ConnectionRule.Server(host: host, port: port)
      forwarded = nil
      address = nil
    case "GET":
      guard let address = MediaAddress(String(words[1])), !address.isSecure else {
        throw .otherScheme
      }
      self.address = address
      server = ConnectionRule.Server(host: address.host, port: address.port)
      let lines =
        ["GET \(address.path) \(words[2])", "Host: \(address.authority)"] + kept
        + ["Connection: close"]
      forwarded = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    default: throw .invalidRequest
    }
  }

  /// The fields that the proxy writes itself or does not pass on. A request has no body.
  private static let ownFields: Set<String> = [
    "host", "connection", "proxy-connection", "keep-alive", "te", "trailer", "upgrade",
    "transfer-encoding", "content-length", "expect",
  ]
}

extension NetworkAccess.Problem {
  static let invalidRequest = Self("the request for it is invalid")
  static let otherScheme = Self(
    "its address leads to something that is neither http nor https",
    hint: "Give the address of the stream itself.")

  static func privateNetwork(_ host: String) -> Self {
    Self(
      "its address leads into a private network (\(host)), which is not followed",
      hint: "If that is meant, give that address itself as its \"url\".")
  }

  static func unknownHost(_ host: String) -> Self {
    Self("its server \(host) is not known", hint: "Check the address and the network.")
  }
}
