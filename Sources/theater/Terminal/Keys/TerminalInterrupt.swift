import Dispatch
import Glibc

/// Ctrl-C, for a command that has something to tidy before it ends.
enum TerminalInterrupt {
  /// Returns by throwing when the person wants to stop.
  static func wait() async throws {
    signal(SIGINT, SIG_IGN)
    let (signals, continuation) = AsyncStream<Void>.makeStream()
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler { continuation.yield() }
    source.resume()
    defer { source.cancel() }
    for await _ in signals { throw ExitError(silent: .done) }
  }
}
