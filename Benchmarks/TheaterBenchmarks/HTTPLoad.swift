import Foundation

/// A keep-alive HTTP/1.1 connection over loopback that does nothing but send and read, so that what
/// is measured is the controller.
struct HTTPLoad {
  private let descriptor: Int32
  private let token: String
  private let host: String

  init?(port: UInt16, token: String) {
    host = "127.0.0.1:\(port)"
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.token = token
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var noDelay: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if outcome != 0 { return nil }
  }

  /// Posts `body` and waits for the whole answer.
  ///
  /// - Returns: The status, or `nil` when the connection broke.
  func post(_ path: String, _ body: String) -> Int? {
    send(
      """
      POST \(path) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(token)\r\n\
      Content-Type: application/json\r\nPrefer: wait=20\r\nContent-Length: \(body.utf8.count)\r\n\
      \r\n\(body)
      """)
  }

  /// Gets `path` and waits for the whole answer.
  ///
  /// - Returns: The status, or `nil` when the connection broke.
  func get(_ path: String) -> Int? {
    send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(token)\r\n\r\n")
  }

  private func send(_ text: String) -> Int? {
    let request = Array(text.utf8)
    guard write(descriptor, request, request.count) == request.count else { return nil }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { return nil }
      answer += buffer[..<count]
      if let status = Self.status(ofComplete: answer) { return status }
    }
  }

  func close() { Foundation.close(descriptor) }

  private static func status(ofComplete answer: [UInt8]) -> Int? {
    let text = String(decoding: answer, as: UTF8.self)
    guard let split = text.range(of: "\r\n\r\n") else { return nil }
    let head = text[..<split.lowerBound].lowercased()
    guard let field = head.range(of: "content-length: ") else { return nil }
    let length = Int(head[field.upperBound...].prefix { $0.isNumber }) ?? 0
    guard text[split.upperBound...].utf8.count >= length else { return nil }
    return Int(head.dropFirst(9).prefix(3))
  }
}
