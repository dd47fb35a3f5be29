import Devices
import JSON
import PluginProtocol
import Synchronization
import Testing

@testable import ALSAAmplifier
@testable import PluginKit

/// The attributes and log lines that report the status of the sound engine.
@Suite struct StatusReporterTests {
  private let record = ReportRecord()
  private let reporter: StatusReporter

  init() throws {
    let context = DeviceContext(device: "amp", options: [:], connection: record)
    reporter = StatusReporter(context, try AmplifierOptions([:]))
  }

  @Test("F4 · the last report has the newest values when two threads change them at once")
  func concurrentChanges() async throws {
    for number in 1...2000 {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { [reporter] in reporter.update(mixer: "mixer \(number)") }
        group.addTask { [reporter] in reporter.update(EngineStatus(underruns: number)) }
      }
      try #require(record["mixer"]?.value == .string("mixer \(number)"))
      try #require(record["underruns"]?.value == .integer(number))
    }
  }

  @Test("F4 · blames a gap on the source if it was late, otherwise on the sound device")
  func gaps() {
    reporter.update(EngineStatus(underruns: 1, starvations: 1))
    reporter.update(EngineStatus(underruns: 2, starvations: 1))
    #expect(
      record.log == [
        "a gap in the sound, because the source was late (1 so far)",
        "a gap in the sound, because the sound device ran dry (2 so far)",
      ])
    #expect(record["underruns"] == Attribute(2, label: "Gaps in the sound"))
    #expect(record["starvations"] == Attribute(1, label: "Gaps from a late source"))
  }
}

/// A connection that records the last value of each attribute, and the log.
private final class ReportRecord: Connection {
  private struct State {
    var attributes: [String: Attribute] = [:]
    var log: [String] = []
  }

  private let state = Mutex(State())

  subscript(name: String) -> Attribute? { state.withLock { $0.attributes[name] } }
  var log: [String] { state.withLock { $0.log } }

  func start(_ receive: @escaping @Sendable (ConnectionEvent) -> Void) {}
  func closeSending() {}

  func send(_ line: [UInt8]) throws(ConnectionError) {
    guard case .notification(let method, let params)? = try? RPCMessage(line: line.dropLast())
    else { return }
    state.withLock { state in
      if method == StateNotification.method, let report = StateNotification(params: params) {
        state.attributes.merge(report.attributes) { $1 }
      }
      if method == LogNotification.method, let line = LogNotification(params: params) {
        state.log.append(line.message)
      }
    }
  }
}
