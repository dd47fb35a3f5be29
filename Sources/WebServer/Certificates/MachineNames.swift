import Glibc
import NIOCore

/// What this machine is called and where it is, for its certificate.
package enum MachineNames {
  /// `localhost`, the host's name alone and with `.local`, and every address but those that are only
  /// right on one cable.
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

  /// The first label of the host's name, where that is a name.
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
