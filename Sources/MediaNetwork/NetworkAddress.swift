import Glibc

/// An IP address that a host name stands for.
package struct NetworkAddress: Equatable, Sendable {
  /// The written form: `192.0.2.1`, `2001:db8::1`.
  package let text: String
  /// Four or sixteen bytes in network order.
  package let bytes: [UInt8]

  /// Reads a written address; nil for anything else.
  package init?(_ text: String) {
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
    } else {
      return nil
    }
    self.text = text
  }

  /// Returns the addresses of a host, best first; empty if it has none. Blocks for the lookup.
  package static func all(of host: String) -> [NetworkAddress] {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &wanted, &found) == 0 else { return [] }
    defer { freeaddrinfo(found) }
    var addresses: [NetworkAddress] = []
    var next = found
    while let entry = next {
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let code = getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0,
        NI_NUMERICHOST)
      if code == 0 {
        // An address with a zone (`fe80::1%eth0`) belongs to the local network.
        let text = String(
          decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        addresses.append(NetworkAddress(text) ?? .unspecified)
      }
      next = entry.pointee.ai_next
    }
    return addresses
  }

  private static let unspecified = NetworkAddress(text: "0.0.0.0", bytes: [0, 0, 0, 0])

  /// Whether it stands for no machine, or for one that only an interface and an address name together.
  var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

  private init(text: String, bytes: [UInt8]) {
    self.text = text
    self.bytes = bytes
  }

  /// Whether the address is public: not of a local network, not of this machine, not reserved (the
  /// special-purpose registries of IANA, RFC 6890).
  package var isPublic: Bool {
    bytes.count == 4 ? Self.isPublic(four: bytes[...]) : Self.isPublic(sixteen: bytes)
  }

  private static func isPublic(four bytes: ArraySlice<UInt8>) -> Bool {
    let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return !reserved.contains { number >> (32 - $0.length) == $0.network >> (32 - $0.length) }
  }

  private static func isPublic(sixteen bytes: [UInt8]) -> Bool {
    // IPv4 inside IPv6: ::ffff:192.0.2.1, and 64:ff9b::192.0.2.1 of a network without IPv4.
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
    if bytes.starts(with: mapped) || bytes.starts(with: translated) {
      return isPublic(four: bytes[12...])
    }
    // Only 2000::/3 is assigned; of it 2001::/23 (Teredo and others), 2001:db8::/32 (examples),
    // 2002::/16 (IPv4 inside) and 3fff::/20 (examples) do not count.
    guard bytes[0] >> 5 == 1 else { return false }
    let first = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    let second = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    switch first {
    case 0x2001: return second >= 0x0200 && second != 0x0DB8
    case 0x2002: return false
    case 0x3FFF: return second >= 0x1000
    default: return true
    }
  }

  /// The networks of IPv4 that are not public.
  private static let reserved: [(network: UInt32, length: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
    (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16),
    (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
  ]
}
