import CLinux
import Dispatch
import Glibc

/// The keys of a held terminal, as they are pressed.
struct Keyboard {
  /// What comes from it.
  enum Reading: Sendable {
    case bytes([UInt8])
    /// The program was stopped and goes on; the screen has to be painted anew.
    case continued
  }

  /// An eventfd that `RawTerminalMode` wakes.
  let wakes: Int32
  private let input: any DispatchSourceRead
  private let woken: any DispatchSourceRead
  /// Ends where the terminal does.
  let readings: AsyncStream<Reading>

  init() {
    let (readings, continuation) = AsyncStream.makeStream(of: Reading.self)
    let wakes = linux_eventfd()
    (self.readings, self.wakes) = (readings, wakes)
    input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
    woken = DispatchSource.makeReadSource(fileDescriptor: wakes)
    input.setEventHandler {
      var bytes = Self.read()
      // The rest of an escape sequence is on its way, if there is one.
      if bytes.last == 0x1B, Self.waitForMore() { bytes += Self.read() }
      if bytes.isEmpty { continuation.finish() } else { continuation.yield(.bytes(bytes)) }
    }
    woken.setEventHandler {
      var count: UInt64 = 0
      Glibc.read(wakes, &count, MemoryLayout.size(ofValue: count))
      continuation.yield(.continued)
    }
    woken.setCancelHandler { Glibc.close(wakes) }
    input.resume()
    woken.resume()
  }

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

  /// Whether more comes within the time that terminals take for a key.
  private static func waitForMore() -> Bool {
    var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 50) == 1
  }
}
