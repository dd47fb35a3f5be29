import Glibc
import NIOCore

/// The names and addresses of this machine, for its certificate.
package enum MachineNames {
  /// `localhost`, the host name alone and with `.local`, and every address but link-local ones of IPv6.
  package static func all() -> Set<String> {
    var names: Set = ["localhost", "127.0.0.1", "::1"]
    if let host = hostName() { names.formUnion([host, "\(host).local"]) }
    for device in (try? System.enumerateDevices()) ?? [] {
      guard let address = device.address?.ipAddress, !address.contains("%"),
        !address.lowercased().hasPrefix("fe80:")
      else { continue }
      names.insert(address)
    }
    return names
  }

  /// The first label of the host name; `nil` if it is not a valid name.
  private static func hostName() -> String? {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    let text = String(
      decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let label = text.split(separator: ".").first,
      let name = Authority(label.lowercased()), !name.isAddress, name.port == nil
    else { return nil }
    return name.host
  }
}

/// Conversions between the text of an IP address and its 4 or 16 bytes.
enum AddressText {
  /// The bytes of an IPv4 or IPv6 address; `nil` for anything else.
  static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
    return nil
  }

  /// The canonical form of a name or address: the usual text of an address, else lower case.
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
