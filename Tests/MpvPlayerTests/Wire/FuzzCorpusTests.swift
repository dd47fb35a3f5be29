import TestSupport
import Testing

@Suite("The messages of mpv with generated lines")
struct FuzzCorpusTests {
  @Test("F1 · parses the lines that a fuzzer made, without a trap")
  func corpus() throws {
    let inputs = try FuzzCorpus.inputs(beside: #filePath)
    #expect(!inputs.isEmpty)
    for input in inputs { parse(fuzzed: input) }
  }
}
