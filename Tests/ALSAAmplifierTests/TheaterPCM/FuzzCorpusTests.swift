import Foundation
import TestSupport
import Testing

@Suite("The cable of the ALSA PCM with generated steps", .timeLimit(.minutes(5)))
struct FuzzCorpusTests {
  @Test("F1 · replays the messages and calls of a fuzzer without an error of the sanitizers")
  func corpus() async throws {
    let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
    let files = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
    #expect(!files.isEmpty)
    try await withTemporaryFolder { folder in
      let program = folder.appending(path: "replay")
      let source = Program.project.appending(path: "Benchmarks/Fuzzing/pcm.c").path
      let compiled = try await Program.run(
        URL(filePath: "/usr/bin/gcc"),
        [
          "-std=gnu11", "-O1", "-g", "-DREPLAY", "-pthread", "-fsanitize=address,undefined",
          "-fno-sanitize-recover=undefined", "-o", program.path, source,
        ])
      try #require(compiled.status == 0, "\(compiled.errors)")
      let replayed = try await Program.run(
        program, files.sorted().map { corpus.appending(path: $0).path })
      #expect(replayed.status == 0, "\(replayed.errors)")
    }
  }
}
