import Devices
import Foundation
import Glibc
import JSON
import Platform
import PluginHost
import TestSupport
import Testing

@Suite("Process groups left by an earlier controller")
struct LeftoverTests {
  /// A process that leads a group and ignores the end of its input, as a hanging plugin does.
  private final class Sleeper: Sendable {
    private let child: ChildProcess
    var pid: Int32 { child.id }

    init() throws { child = try ChildProcess(ProgramStart("sleep", ["1000"], leadsGroup: true)) }

    /// Waits for its end.
    func wait() -> ChildProcess.ExitStatus { child.wait() }

    deinit {
      child.signal(SIGKILL)
      child.wait()
    }
  }

  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }

  init() throws { temporary = try TemporaryFolder() }

  private func write(_ record: JSON, _ name: String = "plugins-1.json") throws -> URL {
    let file = folder.appending(path: name)
    try Data(record.text().utf8).write(to: file)
    return file
  }

  private func start(of pid: Int32) throws -> JSON {
    .integer(Int(try #require(ProcessFacts.startTime(of: pid))))
  }

  /// The record of a process that does not exist: Linux assigns no pid this large.
  private static let missingProcess: JSON = ["pid": 2_000_000_000, "start": 1]

  @Test("A group of a controller that is gone is ended, and its record removed")
  func ended() throws {
    let sleeper = try Sleeper()
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": try start(of: sleeper.pid)]
    let file = try write(["controller": Self.missingProcess, "groups": [entry]])
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [sleeper.pid])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(sleeper.wait() == .signalled(SIGKILL))
  }

  @Test("A group of an earlier controller with the same pid as this one is ended")
  func samePID() throws {
    let sleeper = try Sleeper()
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": try start(of: sleeper.pid)]
    let former: JSON = ["pid": .integer(Int(getpid())), "start": 1]
    _ = try write(["controller": former, "groups": [entry]], "plugins-\(getpid()).json")
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [sleeper.pid])
  }

  @Test("A process that got a recorded pid later is left alone")
  func otherProcess() throws {
    let sleeper = try Sleeper()
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": 1]
    let file = try write(["controller": Self.missingProcess, "groups": [entry]])
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(ProcessFacts.startTime(of: sleeper.pid) != nil)
  }

  @Test("The plugins of a controller that still runs are left alone")
  func otherController() throws {
    let sleeper = try Sleeper()
    let me: JSON = ["pid": .integer(Int(getpid())), "start": try start(of: getpid())]
    let entry: JSON = ["pid": .integer(Int(sleeper.pid)), "start": try start(of: sleeper.pid)]
    let file = try write(["controller": me, "groups": [entry]])
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [])
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(ProcessFacts.startTime(of: sleeper.pid) != nil)
  }

  @Test(
    "An invalid record ends no process and is removed",
    arguments: [
      "", "[", "{}", #"{"groups": [{"pid": 1, "start": 1}, {"pid": -1, "start": 1}]}"#,
      #"{"groups": [{"pid": 99999999999999, "start": 1}, 3, null, {"pid": "7"}]}"#,
    ])
  func nonsense(text: String) throws {
    let file = folder.appending(path: "plugins-1.json")
    try Data(text.utf8).write(to: file)
    #expect(ProcessRecords(folder: folder.path).endLeftovers() == [])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("A running plugin is recorded with its controller, and removed from the record at its end")
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
