import TestSupport
import Testing

@Suite("The parsers of MQTT messages with generated payloads")
struct FuzzCorpusTests {
  @Test("F1 · parses the messages that a fuzzer made, without a trap")
  func corpus() throws {
    let inputs = try FuzzCorpus.inputs(beside: #filePath)
    #expect(!inputs.isEmpty)
    for input in inputs { parse(fuzzed: input) }
  }
}
