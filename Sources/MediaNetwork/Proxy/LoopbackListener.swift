import Glibc
import Platform
import Synchronization

/// A listening socket on a free port of 127.0.0.1, which serves each connection on a thread of its own.
final class LoopbackListener: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let most: Int
  private let serve: @Sendable (Int32) -> Void
  private let state = Mutex((connections: 0, isEnded: false))

  /// - Parameters:
  ///   - most: The most connections at a time; further ones are closed.
  ///   - serve: Serves a connection and closes its descriptor. Must not hold this listener.
  init(most: Int, serve: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    self.most = most
    self.serve = serve
    (descriptor, port) = try ProxySocket.listen()
    SystemThread.start(name: "media proxy") { [weak self, descriptor] in
      // Closed here alone: another socket could get its number before the next `accept`.
      defer { close(descriptor) }
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else {
          // The socket was shut down; any other error passes, such as too many open files.
          if self == nil || errno == EINVAL || errno == EBADF { return }
          usleep(100_000)
          continue
        }
        guard let self else {
          close(client)
          return
        }
        self.begin(client)
      }
    }
  }

  deinit { end() }

  /// Stops accepting connections.
  func end() {
    let wasOpen = state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
    if wasOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func begin(_ client: Int32) {
    let isFull = state.withLock { state in
      guard state.connections < most else { return true }
      state.connections += 1
      return false
    }
    guard !isFull else {
      close(client)
      return
    }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    let thread = try? SystemThread(name: "media proxy", stack: 1 << 20) { [weak self, serve] in
      serve(client)
      self?.state.withLock { $0.connections -= 1 }
    }
    guard let thread else {
      state.withLock { $0.connections -= 1 }
      close(client)
      return
    }
    thread.detach()
  }
}
