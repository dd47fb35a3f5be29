import CLinux
import Glibc
import Platform
import Synchronization
import Testing

@testable import PluginProtocol

/// The messages that a connection has delivered; a test can wait for them.
private final class Inbox: Sendable {
  enum Item: Equatable, Sendable {
    case line(String)
    case oversized(Int)
    case closed
  }
  private let items: AsyncStream<Item>
  private let item: AsyncStream<Item>.Continuation

  init() { (items, item) = AsyncStream.makeStream() }

  func append(_ event: ConnectionEvent) {
    switch event {
    case .line(let bytes): item.yield(.line(String(decoding: bytes, as: UTF8.self)))
    case .oversizedLine(let count, _): item.yield(.oversized(count))
    case .closed: item.yield(.closed)
    }
  }

  func next() async -> Item? {
    for await item in items { return item }
    return nil
  }
}

@Suite("Splitting bytes into lines")
struct LineSplitterTests {
  private func split(_ chunks: [String], longest: Int = 10) -> [Inbox.Item] {
    var splitter = LineSplitter(longest: longest)
    var items: [Inbox.Item] = []
    for chunk in chunks {
      Array(chunk.utf8).withUnsafeBufferPointer { bytes in
        splitter.append(bytes) { event in
          switch event {
          case .line(let line): items.append(.line(String(decoding: line, as: UTF8.self)))
          case .oversizedLine(let count, _): items.append(.oversized(count))
          case .closed: items.append(.closed)
          }
        }
      }
    }
    return items
  }

  @Test("Lines come out whole, however their bytes arrive")
  func chunks() {
    let text = "one\ntwo\n\nthree\n"
    for size in 1...text.count {
      var rest = Substring(text)
      var chunks: [String] = []
      while !rest.isEmpty {
        chunks.append(String(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(split(chunks) == [.line("one"), .line("two"), .line("three")], "\(size)")
    }
  }

  @Test("Accepts a line of the longest length; skips a longer one and counts its bytes")
  func limit() {
    let (ten, eleven) = ("0123456789", "0123456789a")
    #expect(split([ten + "\n"]) == [.line(ten)])
    #expect(split([eleven + "\nok\n"]) == [.oversized(11), .line("ok")])
    #expect(split([eleven, eleven, "\nok\n"]) == [.oversized(22), .line("ok")])
    #expect(split([ten, "\n", "x\n"]) == [.line(ten), .line("x")])
  }

  @Test("Keeps at most the longest length of a line that never ends")
  func endless() {
    var splitter = LineSplitter(longest: 10)
    let chunk = [UInt8](repeating: 0x78, count: 1000)
    chunk.withUnsafeBufferPointer { bytes in
      for _ in 0..<1000 { splitter.append(bytes) { _ in Issue.record("there is no line") } }
    }
    #expect(splitter.partial.count <= 10)
  }
}

@Suite("Connections")
struct ConnectionTests {
  /// A connection over two pipes, and the test's ends of them.
  private struct Pipes {
    let connection: StreamConnection
    let toConnection: Int32
    let fromConnection: Int32

    init() throws {
      var (one, two): ([Int32], [Int32]) = ([0, 0], [0, 0])
      // Close-on-exec from the beginning, because a process that another test starts meanwhile
      // would keep the ends open.
      try #require(linux_pipe(&one) == 0 && linux_pipe(&two) == 0)
      (toConnection, fromConnection) = (one[1], two[0])
      connection = StreamConnection(reading: one[0], writing: two[1])
    }
  }

  /// Ignores SIGPIPE, as the controller and every plugin do at their start.
  init() { signal(SIGPIPE, SIG_IGN) }

  @Test("The peer's bytes arrive in order, then the end")
  func receiving() async throws {
    let pipes = try Pipes()
    let inbox = Inbox()
    pipes.connection.start { inbox.append($0) }
    _ = write(pipes.toConnection, "a\nb\nhalf", 8)
    #expect(await inbox.next() == .line("a"))
    #expect(await inbox.next() == .line("b"))
    close(pipes.toConnection)
    #expect(await inbox.next() == .closed)
    close(pipes.fromConnection)
  }

  @Test("Sending does not wait for a peer that does not read; all arrives once it reads")
  func backlog() async throws {
    let pipes = try Pipes()
    pipes.connection.start { _ in }
    let line = [UInt8](repeating: 0x78, count: 99_999) + [0x0A]
    for _ in 0..<20 { try pipes.connection.send(line) }
    pipes.connection.closeSending()
    let total = await withCheckedContinuation { continuation in
      let end = pipes.fromConnection
      SystemThread.start(name: "reader") {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        while true {
          let count = read(end, &buffer, buffer.count)
          guard count > 0 else { break }
          total += count
        }
        close(end)
        continuation.resume(returning: total)
      }
    }
    #expect(total == 2_000_000)
    close(pipes.toConnection)
  }

  @Test("Sending beyond the limit of the backlog is an error")
  func clogged() throws {
    let pipes = try Pipes()
    pipes.connection.start { _ in }
    let line = [UInt8](repeating: 0x78, count: 999_999) + [0x0A]
    #expect(throws: ConnectionError.clogged) {
      for _ in 0..<10 { try pipes.connection.send(line) }
    }
    close(pipes.fromConnection)
    close(pipes.toConnection)
  }

  @Test("Sending to a peer that is gone is an error")
  func gone() throws {
    let pipes = try Pipes()
    pipes.connection.start { _ in }
    close(pipes.fromConnection)
    #expect(throws: ConnectionError.closed) { try pipes.connection.send([0x78, 0x0A]) }
    close(pipes.toConnection)
  }

  @Test("The connection in memory keeps order and ends like pipes")
  func memory() async throws {
    let (one, two) = InMemoryConnection.pair()
    let inbox = Inbox()
    two.start { inbox.append($0) }
    try one.send(Array("a\n".utf8))
    try one.send(Array("b\n".utf8))
    one.closeSending()
    #expect(await inbox.next() == .line("a"))
    #expect(await inbox.next() == .line("b"))
    #expect(await inbox.next() == .closed)
    #expect(throws: ConnectionError.closed) { try one.send([0x0A]) }
  }
}
