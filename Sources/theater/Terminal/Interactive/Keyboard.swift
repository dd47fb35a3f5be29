import Dispatch
import Glibc
import Platform

/// The keys of a terminal without echo, as they are pressed.
struct Keyboard {
  /// A piece of input.
  enum Reading: Sendable {
    case bytes([UInt8])
    /// The program continues after a stop; the screen must be drawn again.
    case continued
  }

  /// Signalled by `RawTerminalMode` when the program continues after a stop.
  private let continued: WakeupDescriptor
  private let input: any DispatchSourceRead
  private let woken: any DispatchSourceRead
  /// Ends with the terminal.
  let readings: AsyncStream<Reading>

  init() throws(SystemError) {
    let (readings, continuation) = AsyncStream.makeStream(of: Reading.self)
    let continued = try WakeupDescriptor()
    (self.readings, self.continued) = (readings, continued)
    input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
    woken = DispatchSource.makeReadSource(fileDescriptor: continued.descriptor)
    input.setEventHandler {
      var bytes = Self.read()
      // Waits for the rest of an escape sequence.
      if bytes.last == 0x1B, Self.waitForMore() { bytes += Self.read() }
      if bytes.isEmpty { continuation.finish() } else { continuation.yield(.bytes(bytes)) }
    }
    woken.setEventHandler {
      continued.clear()
      continuation.yield(.continued)
    }
    woken.setCancelHandler { continued.close() }
    input.resume()
    woken.resume()
  }

  /// The eventfd for `RawTerminalMode`.
  var wakes: Int32 { continued.descriptor }

  func close() {
    input.cancel()
    woken.cancel()
  }

  private static func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      return Array(bytes.prefix(max(0, count)))
    }
  }

  /// Whether more bytes arrive within 50 ms, the time that terminals take for a key.
  private static func waitForMore() -> Bool {
    var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 50) == 1
  }
}
