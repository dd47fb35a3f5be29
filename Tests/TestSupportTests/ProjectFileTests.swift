import Foundation
import Testing

@testable import TestSupport

@Suite struct ProjectFileTests {
  @Test(
    "a generated program stays executable, and a generated text is not", arguments: [true, false])
  func mode(isExecutable: Bool) throws {
    let folder = try TemporaryFolder()
    let file = URL(filePath: folder.path(of: "Example/test.sh"))
    for text in ["new", "changed"] {
      try ProjectFile.write(text, isExecutable: isExecutable, to: file)
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect(mode as? Int == (isExecutable ? 0o755 : 0o644))
    }
  }
}
