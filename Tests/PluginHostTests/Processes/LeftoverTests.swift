import Devices
import Foundation
import Glibc
import JSON
import PluginHost
import TestSupport
import Testing

@Suite("What a dead controller has left")
struct LeftoverTests {
  /// A process of its own group, as a plugin that ignores the end of its input.
  private final class Sleeper: Sendable {
    let pid: Int32

    init() throws {
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setpgroup(&attributes, 0)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      var pid: pid_t = 0
      let words = ["sleep", "1000"].map { (word: String) in strdup(word) }
      defer { for word in words { free(word) } }
      let outcome = posix_spawnp(&pid, "sleep", nil, &attributes, words + [nil], environ)
      try #require(outcome == 0)
      self.pid = pid
    }

    deinit {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    }
  }

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "left-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func write(_ record: JSON, _ name: String = "plugins-1.json") throws -> URL {
    let file = folder.appending(path: name)
    try Data(record.text().utf8).write(to: file)
    return file
  }

  private func start(of pid: Int32) throws -> JSON {
    .integer(Int(try #require(ProcessFacts.startTime(of: pid))))
  }

  /// Nobody has this pid: it is beyond the largest that Linux gives.
  private static let nobody: JSON = ["pid": 2_000_000_000, "start": 1]

  @Test("A group of a controller that is gone is ended, and its record removed")
  func ended() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let sleeper = try Sleeper()
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": try start(of: sleeper.pid)]
    let file = try write(["controller": Self.nobody, "groups": [entry]])
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [sleeper.pid])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    var status: Int32 = 0
    #expect(waitpid(sleeper.pid, &status, 0) == sleeper.pid && status & 0x7F == SIGKILL)
  }

  @Test("A controller that had this one's pid is gone all the same")
  func samePID() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let sleeper = try Sleeper()
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": try start(of: sleeper.pid)]
    let former: JSON = ["pid": .integer(Int(getpid())), "start": 1]
    _ = try write(["controller": former, "groups": [entry]], "plugins-\(getpid()).json")
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [sleeper.pid])
  }

  @Test("A process that was given the same number later is left alone")
  func otherProcess() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let sleeper = try Sleeper()
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": 1]
    let file = try write(["controller": Self.nobody, "groups": [entry]])
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(ProcessFacts.startTime(of: sleeper.pid) != nil)
  }

  @Test("The plugins of a controller that still runs are left alone")
  func otherController() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let sleeper = try Sleeper()
    let me: JSON = ["pid": .integer(Int(getpid())), "start": try start(of: getpid())]
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": try start(of: sleeper.pid)]
    let file = try write(["controller": me, "groups": [entry]])
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [])
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(ProcessFacts.startTime(of: sleeper.pid) != nil)
  }

  @Test(
    "A record that makes no sense ends nothing and is removed",
    arguments: [
      "", "[", "{}", #"{"groups": [{"pid": 1, "start": 1}, {"pid": -1, "start": 1}]}"#,
      #"{"groups": [{"pid": 99999999999999, "start": 1}, 3, null, {"pid": "7"}]}"#,
    ])
  func nonsense(text: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "plugins-1.json")
    try Data(text.utf8).write(to: file)
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("A running plugin is on record, with the controller, and off it after the end")
  func recorded() async throws {
    let plugin = try ScriptPlugin()
    let file = "\(plugin.runtimeDirectory)/plugins-\(getpid()).json"
    try await plugin.run { _ in
      let pid = try #require(try await plugin.status().pid)
      let record = try JSON(parsing: try Data(contentsOf: URL(fileURLWithPath: file)))
      #expect(record["controller"]?["pid"]?.integer == Int(getpid()))
      #expect(record["groups"]?.array?.first?["pid"]?.integer == Int(pid))
      #expect(record["groups"]?.array?.first?["start"] == (try start(of: pid)))
    }
    #expect(!FileManager.default.fileExists(atPath: file))
  }
}
