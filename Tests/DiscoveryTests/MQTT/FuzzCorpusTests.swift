import TestSupport
import Testing

@Suite("The searches with generated messages")
struct FuzzCorpusTests {
  @Test("F1 · reads the messages that a fuzzer made, without a trap")
  func corpus() throws {
    let inputs = try FuzzCorpus.inputs(beside: #filePath)
    #expect(!inputs.isEmpty)
    for input in inputs { parse(fuzzed: input) }
  }
}
