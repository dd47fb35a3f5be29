import Devices
import Glibc
import Synchronization

/// Creates the names of cable sockets: new short paths, each with a token.
package final class SocketNames: Sendable {
  private let folder: String
  private let last = Atomic(0)

  /// - Parameter folder: An absolute, short path: the path of a socket has at most 107 bytes.
  package init(folder: String) { self.folder = folder }

  /// A new socket name with its token.
  func next(for device: DeviceID) -> CableSocket {
    let number = last.add(1, ordering: .relaxed).newValue
    return CableSocket(path: "\(folder)/c\(getpid())-\(number)", token: Self.token())
  }

  /// 256 bits from the system's secure source, in hexadecimal.
  private static func token() -> String {
    var source = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(source.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
