import Platform

/// The reason why a cable could not be plugged in, or was closed. `message` says what happened and
/// what to do.
public struct CableError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for programs.
  public enum Code: String, Sendable {
    /// The path is empty, too long or not usable as a socket.
    case path
    /// The token is not 64 hexadecimal digits.
    case token
    /// The other end refused: wrong or used token, wrong version.
    case refused
    /// The other end did not answer in time.
    case timeout
    /// The other end broke the protocol.
    case violation
    /// The other end ended, or closed as the protocol says.
    case closed
    /// The operating system refused.
    case system
  }
  /// The kind of failure, for programs.
  public let code: Code
  /// The description of the failure, for people.
  public let message: String

  /// An error with its message for people.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message for people.
  public var description: String { message }
}

extension CableError {
  /// Creates a system resource of a cable, and converts its error.
  static func making<Made>(
    _ what: String, _ make: () throws(SystemError) -> Made
  ) throws(CableError) -> Made {
    do {
      return try make()
    } catch {
      throw CableError(.system, "The cable's \(what) could not be made: \(error).")
    }
  }
}

extension WakeupDescriptor {
  static func forCable() throws(CableError) -> Self {
    try CableError.making("wake-up descriptor") { () throws(SystemError) in try Self() }
  }
}

extension SystemThread {
  /// Starts a cable's I/O thread, with a higher priority than other processes.
  static func startForCable(_ body: @escaping @Sendable () -> Void) throws(CableError) {
    try CableError.making("thread") { () throws(SystemError) in
      try SystemThread(name: "cable", priority: .nice(-11), body).detach()
    }
  }
}
