import Foundation

/// Where guesses come from, as they are counted: an IPv4 address, or an IPv6 network of 64 bits,
/// within which a single machine may take as many addresses as it likes.
struct AttemptSource: Hashable, Sendable {
  let text: String

  init(_ origin: Origin) {
    // A link-local address may name its interface: fe80::1%eth0.
    let address = origin.address.prefix { $0 != "%" }
    text = Self.network(String(address)) ?? origin.address
  }

  /// The network of an IPv6 address in hexadecimal; the address itself where it holds one of IPv4.
  private static func network(_ address: String) -> String? {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
    let all = withUnsafeBytes(of: bytes) { Array($0) }
    if all.prefix(10).allSatisfy({ $0 == 0 }), all[10...11].allSatisfy({ $0 == 0xFF }) {
      return all.suffix(4).map(String.init).joined(separator: ".")
    }
    return all.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
  }
}
