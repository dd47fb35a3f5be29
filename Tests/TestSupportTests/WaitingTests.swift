import Foundation
import TestSupport
import Testing

@Suite struct WaitingTests {
  @Test("no test discards whether what it waited for has come")
  func isRequired() throws {
    let tests = Program.project.appending(path: "Tests")
    let paths = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String }
    let sources = try #require(paths).filter { $0.hasSuffix(".swift") }
    #expect(sources.count > 100)
    for path in sources {
      let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
      let discards = text.matches(of: /_\s*=\s*(try\s+)?await\s+eventually\b/)
      #expect(discards.isEmpty, "\(path): try #require(await eventually { … }, \"what comes\")")
    }
  }
}
