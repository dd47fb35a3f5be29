import Foundation
import Platform
import PluginProtocol
import Synchronization
import Testing

@testable import LibavPlayer

/// A radio station for tests on the loopback interface: HTTP with titles in the stream (ICY).
final class RadioServer: Sendable {
  /// The answer to a connection.
  enum Answer: Sendable {
    /// The sound, repeated without end; after every `interval` bytes the next of `titles`.
    case stream(titles: [String])
    /// The stream; the connection closes after so many bytes.
    case brokenStream(bytes: Int)
    /// The stream, silent after so many bytes until ``RadioServer/resumeStream()``, then its rest.
    case stalledStream(bytes: Int)
    /// A response with this status, such as `404 Not Found`, and no body.
    case refusal(String)
    /// A redirect to this address.
    case redirect(String)
    /// A response of the type `text/html` with this text.
    case page(String)
    /// No response; the connection stays open.
    case silence
  }

  /// Bytes between two blocks of metadata.
  static let interval = 4_096

  /// The address of the stream.
  let url: String
  private let listener: Int32
  private let resumption = Mailbox<Void>()
  private let state: Mutex<State>
  private let sound: [UInt8]
  private let type: String

  private struct State {
    var answers: [Answer]
    var requests: [String] = []
    var isClosed = false
  }

  /// A station that sends `sound` (a whole file) as `type`. Each connection takes the next answer;
  /// the last one stays.
  init(_ sound: [UInt8], type: String = "audio/mpeg", answers: [Answer]) throws {
    self.sound = sound
    self.type = type
    state = Mutex(State(answers: answers))
    let port: UInt16
    (listener, port) = try Self.listenOnLoopback()
    url = "http://127.0.0.1:\(port)/radio"
    SystemThread.start(name: "station") { [listener, weak self] in
      // Closed here alone: another socket could get its number before the next `accept`.
      defer { Glibc.close(listener) }
      while true {
        let peer = accept(listener, nil, nil)
        guard peer >= 0 else { return }
        guard let self else {
          Glibc.close(peer)
          return
        }
        self.serve(peer)
      }
    }
  }

  private static func listenOnLoopback() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    try #require(isListening)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  deinit { close() }

  /// Stops accepting connections and ends the streams.
  func close() {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if wasOpen { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  /// The heads of all requests.
  var requests: [String] { state.withLock { $0.requests } }

  private func serve(_ peer: Int32) {
    let answer = state.withLock { state in
      state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first ?? .silence
    }
    SystemThread.start(name: "listener") { [weak self] in
      defer { Glibc.close(peer) }
      guard let head = Self.readHead(peer) else { return }
      self?.state.withLock { $0.requests.append(head) }
      self?.send(answer, to: peer)
    }
  }

  private func send(_ answer: Answer, to peer: Int32) {
    let head =
      "HTTP/1.0 200 OK\r\nContent-Type: \(type)\r\nicy-name: Test FM\r\nicy-metaint: "
      + "\(Self.interval)\r\n\r\n"
    switch answer {
    case .stream(let titles):
      if send(head, peer) { stream(peer, titles: titles, bytes: .max) }
    case .brokenStream(let bytes):
      if send(head, peer) { stream(peer, titles: [], bytes: bytes) }
    case .stalledStream(let bytes):
      if send(head, peer) { stream(peer, titles: [], bytes: .max, stall: bytes) }
    case .refusal(let status): _ = send("HTTP/1.0 \(status)\r\nContent-Length: 0\r\n\r\n", peer)
    case .redirect(let place): _ = send("HTTP/1.0 302 Found\r\nLocation: \(place)\r\n\r\n", peer)
    case .page(let text):
      let length = text.utf8.count
      _ = send(
        "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(length)\r\n\r\n\(text)",
        peer)
    case .silence: waitForEnd(peer)
    }
  }

  private func stream(_ peer: Int32, titles: [String], bytes: Int, stall: Int = .max) {
    var sent = 0
    var titles = titles
    while sent < bytes, !state.withLock({ $0.isClosed }) {
      if sent == stall, !waitForResumption(peer) { return }
      let end = sent < stall ? min(bytes, stall) : bytes
      let count = min(Self.interval - sent % Self.interval, end - sent)
      var block = (0..<count).map { sound[(sent + $0) % sound.count] }
      sent += count
      if sent.isMultiple(of: Self.interval) {
        block += Self.metadata(titles.first)
        if !titles.isEmpty { titles.removeFirst() }
      }
      guard send(block, peer) else { return }
    }
  }

  /// Resumes a stalled stream.
  func resumeStream() { resumption.post(()) }

  /// Waits for ``resumeStream()``; returns false if the client has gone or the station is closed.
  private func waitForResumption(_ peer: Int32) -> Bool {
    while resumption.wait(milliseconds: 20) == nil {
      var byte: UInt8 = 0
      if recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) == 0 { return false }
      if state.withLock({ $0.isClosed }) { return false }
    }
    return true
  }

  /// A block of metadata: its length in units of 16 bytes, then the text.
  private static func metadata(_ title: String?) -> [UInt8] {
    guard let title else { return [0] }
    let text = Array("StreamTitle='\(title)';StreamUrl='';".utf8)
    let units = (text.count + 15) / 16
    return [UInt8(units)] + text + Array(repeating: 0, count: units * 16 - text.count)
  }

  private func send(_ text: String, _ peer: Int32) -> Bool { send(Array(text.utf8), peer) }

  private func send(_ bytes: [UInt8], _ peer: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func waitForEnd(_ peer: Int32) {
    var byte: UInt8 = 0
    while recv(peer, &byte, 1, 0) > 0 {}
  }

  private static func readHead(_ peer: Int32) -> String? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard head.count < 8_192, recv(peer, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    return String(decoding: head, as: UTF8.self)
  }
}
