import Devices
import Glibc
import JSON
import Synchronization

/// Creates the names of cable sockets: short paths, each with a new token.
package final class SocketNames: Sendable {
  private let folder: String
  private let last = Atomic(0)

  /// - Parameter folder: An absolute, short path: the path of a socket has at most 107 bytes.
  package init(folder: String) { self.folder = folder }

  /// Returns a socket name with a new token.
  ///
  /// - Parameter path: The path of the socket that is open already; `nil` makes a new path.
  func next(at path: String? = nil) -> CableSocket {
    if let path { return CableSocket(path: path, token: Self.token()) }
    let number = last.add(1, ordering: .relaxed).newValue
    return CableSocket(path: "\(folder)/c\(getpid())-\(number)", token: Self.token())
  }

  /// Returns 256 bits from the system's secure source, in hexadecimal.
  private static func token() -> String {
    var source = SystemRandomNumberGenerator()
    return (0..<4).map { _ in Hexadecimal.text(source.next() as UInt64) }.joined()
  }
}
