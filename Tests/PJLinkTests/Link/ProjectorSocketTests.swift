import Glibc
import TestSupport
import Testing

@testable import PJLink

@Suite("Connections to projectors", .timeLimit(.minutes(2)))
struct ProjectorSocketTests {
  @Test("A projector is reached at the next address of its host when the first one does not answer")
  func nextAddress() async throws {
    let projector = try ProjectorFixture()
    let silent = try SilentAddress()
    defer { silent.close() }
    let good = try SocketAddress.resolve("127.0.0.1", UInt16(projector.port))
    let addresses = [silent.address] + good
    let socket = try ProjectorSocket(within: .milliseconds(500)) { addresses }
    defer { socket.close() }
    #expect(await eventually { projector.opened == 1 })
  }
}

/// A TCP address of this machine that accepts no connection and refuses none: the queue of its listener is full.
private struct SilentAddress {
  let address: SocketAddress
  private let descriptors: [Int32]

  init() throws {
    let kind = Int32(SOCK_STREAM.rawValue)
    let (listener, filler) = (socket(AF_INET, kind, 0), socket(AF_INET, kind, 0))
    descriptors = [listener, filler]
    // The system chooses the port.
    try #require(listen(listener, 0) == 0)
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isNamed = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(listener, $0, &size) == 0
      }
    }
    try #require(isNamed)
    let found = try SocketAddress.resolve("127.0.0.1", UInt16(bigEndian: name.sin_port))
    address = try #require(found.first)
    // One connection fills a queue of the length 0.
    try #require(address.connect(filler) == 0)
  }

  func close() { for descriptor in descriptors { Glibc.close(descriptor) } }
}
