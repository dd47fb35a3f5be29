import Glibc
import Platform

extension CableSourceCore {
  func connect(path: String, token: CableToken) throws(CableError) {
    let link = CableSourceLink(descriptor: try CableDescriptor.connect(to: path))
    guard link.send(.hello(version: CableMessage.version, token: token.text)) else {
      throw Self.gone
    }
    link.heard = try awaitWelcome(link)
    var failure: CableError?
    monitor.locked {
      if closed {
        failure = CableError(.closed, "The source is closed.")
      } else {
        adopt(link)
      }
    }
    wake()
    if let failure { throw failure }
  }

  private func adopt(_ link: CableSourceLink) {
    tick()
    if self.link != nil { unplug(CableError(.closed, "Another cable was plugged in.")) }
    self.link = link
    link.lastProgress = clock.now
    events.yield(.plugged)
    if link.heard { enterPlaying() }
    do throws(CableError) {
      try parse(link)
    } catch {
      unplug(error)
    }
  }

  /// Waits for the first credit; returns whether the sink plays.
  private func awaitWelcome(_ link: CableSourceLink) throws(CableError) -> Bool {
    let clock = MonotonicClock()
    let deadline = clock.now + Self.handshakeTime
    while true {
      var entry = pollfd(fd: link.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, clock.timeout(until: deadline)) != 0 else {
        throw CableError(.timeout, "The sink did not answer within 2 seconds.")
      }
      if let count = try link.inbox.receive(from: link.descriptor), count == 0 {
        throw CableError(.refused, "The sink closed the connection without a word.")
      }
      var first: CableMessage?
      guard try link.inbox.next({ message, _ in first = message }) else { continue }
      switch first {
      case .credit(epoch: 0, limit: _, let heard): return heard
      case .close(let reason): throw CableError(.refused, "The sink refused the cable: \(reason)")
      default: throw CableError(.violation, "The sink's first message must be credit.")
      }
    }
  }
}
