import Devices
import Foundation
import Glibc
import JSON
@testable import PluginHost
import PluginProtocol
import TestSupport
import Testing

@Suite("Catalogue of plugins")
struct CatalogueTests {
  private let folder: TemporaryFolder
  private var root: URL { folder.url }

  init() throws { folder = try TemporaryFolder() }

  private func add(_ folder: String, _ text: String) throws {
    let folder = root.appending(path: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: folder.appending(path: "manifest.json"))
  }

  private func manifest(_ id: String) -> String {
    #"{"id": "\#(id)", "version": "1", "protocol": "1.0", "command": ["./x", "-v"], "roles": {"lights": {}}}"#
  }

  private func read(_ folders: String...) -> PluginCatalogue {
    PluginCatalogue(folders: folders.map { root.appending(path: $0).path })
  }

  @Test(
    "F1 · a manifest that is no regular file is refused at once, and named",
    .timeLimit(.minutes(1)))
  func otherKindOfFile() throws {
    try add("a/Good", manifest("Good"))
    for name in ["Pipe", "Zero", "Folder"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: "a/\(name)"), withIntermediateDirectories: true)
    }
    mkfifo(root.appending(path: "a/Pipe/manifest.json").path, 0o600)
    symlink("/dev/zero", root.appending(path: "a/Zero/manifest.json").path)
    mkdir(root.appending(path: "a/Folder/manifest.json").path, 0o700)
    let catalogue = read("a")
    #expect(catalogue.plugins.map(\.manifest.id) == ["Good"])
    #expect(
      catalogue.problems.map(\.message) == [
        "the manifest: it is a folder, expected a regular file",
        "the manifest: it is a pipe, expected a regular file",
        "the manifest: it is a device, expected a regular file",
      ])
  }

  @Test("F1 · plugins are found in their folders, in order, without being started")
  func found() throws {
    try add("a/Two", manifest("Two"))
    try add("a/One", manifest("One"))
    try add("b/Three", manifest("Three"))
    try FileManager.default.createDirectory(
      at: root.appending(path: "a/Empty"), withIntermediateDirectories: true)
    let catalogue = read("a", "missing", "b")
    #expect(catalogue.plugins.map(\.manifest.id) == ["One", "Two", "Three"])
    #expect(catalogue.problems.isEmpty)
    let one = try #require(catalogue["One"])
    #expect(one.program == root.appending(path: "a/One/x").path)
  }

  @Test("Of two plugins with the same id the first counts, and the other is reported with its file")
  func duplicates() throws {
    try add("a/P", manifest("P"))
    try add("b/P", manifest("P"))
    let catalogue = read("a", "b", "a")
    #expect(catalogue.plugins.map(\.folder) == [root.appending(path: "a/P").path])
    let problem = try #require(catalogue.problems.first)
    #expect(catalogue.problems.count == 1)
    #expect(problem.path == root.appending(path: "b/P/manifest.json").path)
    #expect(problem.message.contains(root.appending(path: "a/P").path))
  }

  @Test("A manifest that cannot be used is reported with file, line, column and JSON path")
  func unusable() throws {
    try add("a/Broken", "{\n  \"id\": ")
    try add(
      "a/Wrong",
      "{\"id\": \"W\", \"version\": \"1\", \"protocol\": \"1.0\", \"command\": [\"./x\"],\n \"roles\": {\"lamp\": {}}}"
    )
    try add("a/Good", manifest("Good"))
    let catalogue = read("a")
    #expect(catalogue.plugins.map(\.manifest.id) == ["Good"])
    let (broken, wrong) = (catalogue.problems[0], catalogue.problems[1])
    #expect(broken.position?.line == 2)
    #expect(broken.description.contains("Broken/manifest.json:2:"))
    #expect(wrong.jsonPath == [.key("roles"), .key("lamp")])
    #expect(wrong.description.contains("\"lamp\" is not a role"))
  }

  @Test("A program that is looked up along PATH is stamped there, not in the working folder")
  func stampsAlongPath() throws {
    func stamps(of program: String) throws -> Int {
      try add("a/P", manifest("P").replacing("./x", with: program))
      return try #require(read("a")["P"]).fileStamps.count
    }
    // No program has such a name.
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: ".").first { $0.contains(".") })
    // The manifest alone.
    #expect(try stamps(of: name) == 1)
    #expect(try stamps(of: "sh") > 1)
  }

  @Test("A manifest that is a folder is reported with its path")
  func unreadable() throws {
    try FileManager.default.createDirectory(
      at: root.appending(path: "a/P/manifest.json"), withIntermediateDirectories: true)
    #expect(read("a").problems.map(\.path) == [root.appending(path: "a/P/manifest.json").path])
  }
}
