import Glibc

/// A failed system call.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The error number, as in `errno`.
  public let code: Int32

  /// An error with an error number; `SystemError(errno)` right after the failed call.
  public init(_ code: Int32) { self.code = code }

  /// The system's text for the error, such as "No such file or directory". For 0 the system's text would be "Success".
  public var description: String {
    guard code != 0 else { return "the system gives no reason" }
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }
}
