import Glibc
import Platform
import PluginKit
import PluginProtocol
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Simulated

@Suite(.timeLimit(.minutes(5))) struct CableMonitorTests {
  @Test("F4 · a seek empties a full sound card before any time has passed")
  func flushWhileFull() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 1000, endsThere: false)
    try #require(await eventually { cable.readAll(at: 0) > CableAnalyzer.buffer })
    // The time stands still, so a card that first waits for room would never drop its sound.
    SystemThread.start(name: "seek") { _ = cable.source.flush() }
    try #require(await eventually { cable.readAll(at: 0) == 0 })
  }

  @Test("F4 · a seek in a film's last milliseconds is answered before they have been heard")
  func flushWhileEnding() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 10, endsThere: true)
    try #require(await eventually { cable.readAll(at: 0) == 10_000_000 && cable.isEnding })
    SystemThread.start(name: "seek") { _ = cable.source.flush() }
    try #require(await eventually { cable.readAll(at: 0) == 0 })
  }

  @Test("F4 · a cable that is selected again is read at the pace of its sound")
  func heardAgain() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 1000, endsThere: false)
    try #require(await eventually { cable.readAll(at: 0) > CableAnalyzer.buffer })
    cable.readAgain()
    try #require(await eventually { cable.readAll(at: 0) > CableAnalyzer.buffer })
  }

  @Test("F4 · reports levels fifteen times a second on request, besides those of each second")
  func levels() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 4000, endsThere: true)
    // One second without the request, then one with it.
    try await cable.play(milliseconds: 0..<1000)
    #expect(cable.levelReports == 0)
    cable.setMetering(true)
    try await cable.play(milliseconds: 1000..<2000)
    #expect((12...15).contains(cable.levelReports), "\(cable.levelReports)")
    #expect((1...3).contains(cable.reportsOfSeconds), "\(cable.reportsOfSeconds)")
    cable.setMetering(false)
    let count = cable.levelReports
    try await cable.play(milliseconds: 2000..<2500)
    #expect(cable.levelReports == count)
  }

  @Test("F4 · the end is confirmed when the last frame was heard")
  func end() async throws {
    let cable = try Cable()
    defer { cable.close() }
    cable.write(milliseconds: 10, endsThere: true)
    try #require(await eventually { cable.readAll(at: 0) == 10_000_000 && cable.isEnding })
    #expect(cable.readAll(at: 10_000_000) == 0)
    #expect(!cable.isEnding)
    let section = cable.source.section
    for await event in cable.source.events where event == .drained(section: section) { break }
  }
}

/// A film's cable that is read only by `readAll`, at the time that the test passes.
///
/// The source's clock stands still: by the machine's clock it would give up this amplifier whenever the test
/// is held up for half a second, and let the film pass unheard.
private final class Cable: Sendable {
  let source: CableSource
  private let sink: CableSink
  private let analyzer: Mutex<CableAnalyzer>
  private let counts = Mutex((levels: 0, seconds: 0))
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let token = String(repeating: "0", count: 64)
    sink = try CableSink(path: folder.path(of: "s"), token: token, heard: true)
    source = try CableSource(clock: ManualCableClock())
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

  /// The number of level reports that come fifteen times a second.
  var levelReports: Int { counts.withLock { $0.levels } }
  /// The number of level reports that come once a second.
  var reportsOfSeconds: Int { counts.withLock { $0.seconds } }

  func setMetering(_ isOn: Bool) { analyzer.withLock { $0.setMetering(isOn) } }

  var isEnding: Bool { analyzer.withLock { $0.isEnding } }

  /// Reads the same cable with a new analyzer, like an amplifier that was off meanwhile.
  func readAgain() { analyzer.withLock { $0 = CableAnalyzer(sink) } }

  /// Reads in steps of 10 ms, at each of which there must be more sound than the card holds.
  func play(milliseconds: Range<Int64>) async throws {
    for millisecond in stride(from: milliseconds.lowerBound, to: milliseconds.upperBound, by: 10) {
      try #require(
        await eventually { readAll(at: millisecond * 1_000_000) > CableAnalyzer.buffer },
        "the card is full at \(millisecond) ms")
    }
  }

  private func count(_ report: CableLevelReport) {
    counts.withLock { counts in
      switch report {
      case .levels: counts.levels += 1
      case .second: counts.seconds += 1
      }
    }
  }

  /// Reads at the time `now`, in nanoseconds, until the analyzer would wait.
  ///
  /// - Returns: The sound that the card holds then, in nanoseconds.
  func readAll(at now: Int64) -> Int64 {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { bytes.deallocate() }
    return analyzer.withLock { analyzer in
      while analyzer.readNext(from: sink.tap, into: bytes, at: now, count) == nil {}
      return analyzer.unheardNanoseconds(at: now)
    }
  }
}
