import Glibc
import JSON

/// An IPv4 address with a port.
struct InternetAddress {
  private var raw = sockaddr_in()

  /// - Parameter address: Four numbers with dots; anything else is 255.255.255.255.
  init(_ address: String, _ port: Int) {
    raw.sin_family = sa_family_t(AF_INET)
    raw.sin_port = UInt16(clamping: port).bigEndian
    raw.sin_addr.s_addr = inet_addr(address)
  }

  func bind(_ socket: Int32) -> Bool { withRaw { Glibc.bind(socket, $0, $1) == 0 } }

  func send(_ bytes: [UInt8], over socket: Int32) -> Bool {
    withRaw { sendto(socket, bytes, bytes.count, 0, $0, $1) == bytes.count }
  }

  private func withRaw(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
    withUnsafePointer(to: raw) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Reads one datagram of at most 128 bytes, and its sender's IPv4 address.
  static func receive(_ socket: Int32) -> (bytes: [UInt8], sender: UInt32)? {
    var sender = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = withUnsafeMutablePointer(to: &sender) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT), $0, &size)
      }
    }
    guard count >= 0 else { return nil }
    return (Array(bytes.prefix(count)), UInt32(bigEndian: sender.sin_addr.s_addr))
  }

  static func text(_ address: UInt32) -> String {
    [24, 16, 8, 0].map { "\(address >> UInt32($0) & 255)" }.joined(separator: ".")
  }

  /// The broadcast addresses of this machine's networks that are up, at most 16; 255.255.255.255 without one.
  static func broadcastAddresses() -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return ["255.255.255.255"] }
    defer { freeifaddrs(list) }
    var found: [String] = []
    var next = list
    while let entry = next?.pointee, found.count < 16 {
      next = entry.ifa_next
      let flags = Int32(bitPattern: entry.ifa_flags)
      let wanted = Int32(IFF_UP) | Int32(IFF_BROADCAST)
      guard flags & wanted == wanted, let address = entry.ifa_addr,
        Int32(address.pointee.sa_family) == AF_INET, let broadcast = entry.ifa_ifu.ifu_broadaddr
      else { continue }
      let number = broadcast.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
      }
      let text = text(number)
      if number != 0, !found.contains(text) { found.append(text) }
    }
    return found.isEmpty ? ["255.255.255.255"] : found
  }
}
