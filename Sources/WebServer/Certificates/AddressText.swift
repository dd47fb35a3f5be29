import Glibc

/// Addresses as text and as the bytes of a certificate: 4 or 16 of them.
enum AddressText {
  /// The bytes of an IPv4 or IPv6 address; `nil` for anything else.
  static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
    return nil
  }

  /// The one form of a name: an address as it is usually written, anything else in lower case.
  static func plain(_ name: String) -> String {
    bytes(of: name).flatMap(text) ?? name.lowercased()
  }

  /// The text of an address; `nil` unless it has 4 or 16 bytes.
  static func text(of bytes: [UInt8]) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
