import Glibc
import TestSupport
import Testing

@testable import PluginKit

/// A raw peer that sends any bytes and reads whole messages.
///
/// Safe: a test uses it on one thread at a time.
final class RawPeer: @unchecked Sendable {
  let descriptor: Int32
  private var inbox = CableInbox(largest: CableLimit.payload)

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Connects as a source. With a token, also sends hello and waits for the first credit.
  convenience init(to path: String, token: String? = nil) throws {
    self.init(descriptor: try CableDescriptor.connect(to: path))
    if let token {
      send(.hello(version: 1, token: token))
      guard case .credit(epoch: 0, limit: 0, _) = try next() else {
        throw CableError(.refused, "no credit came first")
      }
    }
  }

  deinit { close(descriptor) }

  /// Sends all of `bytes`. False when the other end has closed or reads nothing for 5 s.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let rest = Array(bytes[sent...])
      guard let count = rest.withUnsafeBytes({ CableDescriptor.send(descriptor, $0) }) else {
        return false
      }
      sent += count
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if count == 0, poll(&entry, 1, 5_000) == 0 { return false }
    }
    return true
  }

  @discardableResult
  func send(_ messages: CableMessage..., then payload: [UInt8] = []) -> Bool {
    send(messages.flatMap(\.encoded) + payload)
  }

  /// Sends numbered frames as one message.
  func send(frames: Range<Int>, epoch: UInt32) {
    let bytes = numbered(frames)
    send(.data(epoch: epoch, bytes: bytes.count), then: bytes)
  }

  /// The next message; `nil` if the other end has closed, or after a minute without one.
  func next() throws -> CableMessage? {
    var message: CableMessage?
    while true {
      if try inbox.next({ next, _ in message = next }) { return message }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 60_000) > 0 else {
        Issue.record("the other end says nothing and does not close")
        return nil
      }
      guard let count = try? inbox.receive(from: descriptor), count > 0 else { return nil }
    }
  }

  /// Reads until the other end closes; returns its reason.
  func closingReason() throws -> String? {
    var reason: String?
    while let message = try next() {
      if case .close(let text) = message { reason = text }
    }
    return reason
  }

  /// Reads on until a message satisfies `wanted`.
  func find(_ wanted: (CableMessage) -> Bool) throws -> CableMessage? {
    while let message = try next() {
      if wanted(message) { return message }
    }
    return nil
  }

  /// Reads on until there is credit for `epoch`; returns its limit.
  func credit(epoch: UInt32) throws -> UInt64 {
    while let message = try next() {
      if case .credit(epoch, let limit, _) = message, limit > 0 { return limit }
    }
    throw CableError(.closed, "no credit came")
  }
}

/// A raw sink: a listener that accepts one source.
final class RawSink {
  let folder: TemporaryFolder
  let path: String
  private let listener: Int32

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/s"
    listener = try CableDescriptor.listen(at: path)
  }

  deinit { close(listener) }

  /// Connects `source`, and answers its hello with a credit of no frames that says `heard`.
  func accept(_ source: CableSource, heard: Bool = true) throws -> RawPeer {
    let plugging = try Background { [path] in try? source.connect(path: path, token: tokenA) }
    var peer: RawPeer?
    try waitUntil("a source connects") {
      peer = CableDescriptor.accept(listener).map(RawPeer.init(descriptor:))
      return peer != nil
    }
    let raw = try #require(peer)
    #expect(try raw.next() == .hello(version: 1, token: tokenA))
    raw.send(.credit(epoch: 0, limit: 0, heard: heard))
    try waitUntil("connect returns") { plugging.isDone }
    return raw
  }
}
