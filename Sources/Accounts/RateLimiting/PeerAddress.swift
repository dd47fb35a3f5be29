import Foundation

/// The IP address of a peer, as limits count it. An IPv6 socket shows an IPv4 peer as a mapped address,
/// `::ffff:192.0.2.1` (RFC 4291, section 2.5.5.2), which counts as that IPv4 address.
public struct PeerAddress: Hashable, Sendable {
  /// 4 bytes of an IPv4 address, or 16.
  private let bytes: [UInt8]

  /// Reads `192.0.2.1`, `::ffff:192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`; nil for other texts.
  public init?(_ text: String) {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
      return
    }
    var six = in6_addr()
    // A link-local address may name its interface.
    guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 else { return nil }
    let all = withUnsafeBytes(of: six) { Array($0) }
    let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10...11].allSatisfy { $0 == 0xFF }
    bytes = isMapped ? Array(all.suffix(4)) : all
  }

  /// Whether only this machine reaches it: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    if bytes.count == 4 { return bytes.first == 127 }
    return bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
  }

  /// The bytes that count as one source: the 4 of an IPv4 address, or the 8 of an IPv6 network, in which
  /// one machine can take any number of addresses.
  public var source: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }
}
