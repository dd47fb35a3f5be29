import Glibc
import Platform
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import Simulated

@Suite struct CableMonitorTests {
  @Test("F4 · a full sound card drops its sound for a seek before any time has passed")
  func flushWhileFull() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 1000, endsThere: false)
    #expect(await eventually { cable.readAll(at: 0) > CableAnalyzer.buffer })
    // The time stands still, so a card that waits for room first never drops anything.
    SystemThread.start(name: "seek") { _ = cable.source.flush() }
    #expect(await eventually { cable.readAll(at: 0) == 0 })
  }

  @Test("F4 · a seek during a film's last moment is answered before that is over")
  func flushWhileEnding() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 10, endsThere: true)
    #expect(await eventually { cable.readAll(at: 0) == 10_000_000 && cable.isEnding })
    SystemThread.start(name: "seek") { _ = cable.source.flush() }
    #expect(await eventually { cable.readAll(at: 0) == 0 })
  }

  @Test("F4 · a cable that is heard again is read at the pace of its sound")
  func heardAgain() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 1000, endsThere: false)
    #expect(await eventually { cable.readAll(at: 0) > CableAnalyzer.buffer })
    cable.readAgain()
    #expect(await eventually { cable.readAll(at: 0) > CableAnalyzer.buffer })
  }

  @Test("F4 · the end is confirmed when the last frame was heard")
  func end() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 10, endsThere: true)
    #expect(await eventually { cable.readAll(at: 0) == 10_000_000 && cable.isEnding })
    #expect(cable.readAll(at: 10_000_000) == 0)
    #expect(!cable.isEnding)
    let section = cable.source.section
    for await event in cable.source.events where event == .drained(section: section) { break }
  }
}

/// A film's cable that is read only when the test reads it, at the times that it states.
private final class Cable: Sendable {
  let source: CableSource
  private let sink: CableSink
  private let analyzer: Mutex<CableAnalyzer>
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let token = String(repeating: "0", count: 64)
    sink = try CableSink(path: folder.path(of: "s"), token: token, heard: true)
    source = try CableSource()
    analyzer = Mutex(CableAnalyzer(sink))
    try source.connect(path: folder.path(of: "s"), token: token)
  }

  func close() {
    source.close()
    sink.close()
  }

  /// Writes silence from a separate thread.
  func write(milliseconds: Int, endsThere: Bool) {
    guard let section = source.setFormat(.film, after: source.section) else { return }
    SystemThread.start(name: "film") { [source] in
      let bytes = [UInt8](repeating: 0, count: 48 * milliseconds * CableFormat.film.frameBytes)
      _ = bytes.withUnsafeBytes { source.write($0, section: section) }
      if endsThere { source.end(section: section) }
    }
  }

  var isEnding: Bool { analyzer.withLock { $0.isEnding } }

  /// Begins to read the same cable again, like an amplifier that was off.
  func readAgain() { analyzer.withLock { $0 = CableAnalyzer(sink) } }

  /// Reads until the monitor would wait.
  ///
  /// - Returns: How much sound the card holds then, in nanoseconds.
  func readAll(at now: Int64) -> Int64 {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { bytes.deallocate() }
    return analyzer.withLock { analyzer in
      while analyzer.readNext(from: sink.tap, into: bytes, at: now, { _ in }) == nil {}
      return analyzer.ahead(now)
    }
  }
}
