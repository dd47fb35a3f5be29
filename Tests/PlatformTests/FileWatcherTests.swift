import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@Suite("Watching a file", .serialized)
struct FileWatcherTests {
  /// A watcher whose changes a test awaits one by one.
  private struct Watch: ~Copyable {
    private var changes: AsyncStream<Void>.Iterator

    init(_ path: String, quiet: Duration = .milliseconds(30)) throws {
      changes = try FileWatcher(path, quiet: quiet).changes.makeAsyncIterator()
    }

    /// Waits until the file has this text after a change; `nil` stands for no file.
    mutating func expect(_ text: String?, _ path: String) async {
      repeat {
        await changes.next()
      } while (try? String(contentsOfFile: path, encoding: .utf8)) != text
    }
  }

  private static func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  /// Replaces the file by rename, as many editors do.
  private static func replace(_ path: String, _ text: String) throws {
    try write(text, path + ".new")
    #expect(rename(path + ".new", path) == 0)
  }

  @Test("F6 · a file that is replaced by rename is reported each time", .timeLimit(.minutes(1)))
  func renamed() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("a.json").path
      try Self.write("0", path)
      var watch = try Watch(path)
      for text in ["1", "2", "3"] {
        try Self.replace(path, text)
        await watch.expect(text, path)
      }
    }
  }

  @Test(
    "F6 · a file that is truncated and written, deleted or made again is reported",
    .timeLimit(.minutes(1)))
  func truncated() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("a.json").path
      var watch = try Watch(path)
      for text in ["1", "22", "3"] {
        try Self.write(text, path)
        await watch.expect(text, path)
      }
      unlink(path)
      await watch.expect(nil, path)
      try Self.write("4", path)
      await watch.expect("4", path)
    }
  }

  @Test("F6 · a burst of changes is reported after its end", .timeLimit(.minutes(1)))
  func burst() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("a.json").path
      // Long enough that a busy machine does not make a pause within the burst.
      var changes = try FileWatcher(path, quiet: .seconds(1)).changes.makeAsyncIterator()
      for number in 1...200 { try Self.replace(path, "\(number)") }
      await changes.next()
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "200")
    }
  }

  @Test(
    "F6 · links are followed: the target may change, and each link may point elsewhere",
    .timeLimit(.minutes(1)))
  func links() async throws {
    try await withTemporaryFolder { folder in
      func place(_ name: String) -> String { folder.appendingPathComponent(name).path }
      for name in ["etc", "one", "two"] { mkdir(place(name), 0o700) }
      for name in ["one", "two"] { try Self.write(name, place("\(name)/real.json")) }
      // As a package manager or an orchestrator lays it out: file → folder link → folder.
      #expect(symlink("../one", place("etc/data")) == 0)
      #expect(symlink("data/real.json", place("etc/a.json")) == 0)
      let path = place("etc/a.json")
      var watch = try Watch(path)
      try Self.replace(place("one/real.json"), "one, changed")
      await watch.expect("one, changed", path)
      #expect(symlink("../two", place("etc/new")) == 0)
      #expect(rename(place("etc/new"), place("etc/data")) == 0)
      await watch.expect("two", path)
      try Self.write("two, changed", place("two/real.json"))
      await watch.expect("two, changed", path)
      #expect(symlink(place("one/real.json"), place("etc/new")) == 0)
      #expect(rename(place("etc/new"), path) == 0)
      await watch.expect("one, changed", path)
    }
  }

  @Test(
    "F6 · a folder that is moved away, removed and made again is followed",
    .timeLimit(.minutes(1)))
  func folderGone() async throws {
    try await withTemporaryFolder { folder in
      func place(_ name: String) -> String { folder.appendingPathComponent(name).path }
      let path = place("outer/inner/a.json")
      let files = FileManager.default
      func makeFolders() throws {
        try files.createDirectory(
          atPath: place("outer/inner"), withIntermediateDirectories: true)
      }
      try makeFolders()
      try Self.write("1", path)
      var watch = try Watch(path)
      #expect(rename(place("outer"), place("away")) == 0)
      await watch.expect(nil, path)
      try makeFolders()
      try Self.write("2", path)
      await watch.expect("2", path)
      try files.removeItem(atPath: place("outer"))
      await watch.expect(nil, path)
      #expect(rename(place("away"), place("outer")) == 0)
      await watch.expect("1", path)
      try Self.replace(path, "3")
      await watch.expect("3", path)
    }
  }

  @Test("F6 · changes of other files in the folder wake no reader", .timeLimit(.minutes(1)))
  func otherFiles() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("a.json").path
      let watcher = try FileWatcher(path, quiet: .milliseconds(1))
      var changes = watcher.changes.makeAsyncIterator()
      for number in 1...50 {
        try Self.write("x", folder.appendingPathComponent("other \(number)").path)
      }
      // Events come in order: had one of another file been reported, `a.json` would not exist yet.
      try Self.write("1", path)
      await changes.next()
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "1")
    }
  }

  @Test("F6 · a watcher whose folder is gone sleeps, and its thread ends with the watcher")
  func sleeps() async throws {
    try await withTemporaryFolder { folder in
      let inner = folder.appendingPathComponent("inner")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      let before = Self.threads()
      var watcher: FileWatcher? = try FileWatcher(
        inner.appendingPathComponent("a.json").path, quiet: .milliseconds(1))
      #expect(await eventually { Self.threads().subtracting(before).count == 1 })
      let thread = try #require(Self.threads().subtracting(before).first)
      try FileManager.default.removeItem(at: inner)
      var changes = watcher?.changes.makeAsyncIterator()
      await changes?.next()
      // A loop without a wait would wake thousands of times.
      let wakes = Self.wakes(of: thread)
      #expect(!(await eventually(within: 0.3) { Self.wakes(of: thread) > wakes + 10 }))
      changes = nil
      watcher = nil
      #expect(await eventually { !Self.threads().contains(thread) })
    }
  }

  @Test(
    "F6 · a folder that cannot be watched is an error",
    .disabled(if: geteuid() == 0, "root may watch every folder"))
  func unreadable() async throws {
    try await withTemporaryFolder { folder in
      chmod(folder.path, 0o300)
      defer { chmod(folder.path, 0o700) }
      #expect(throws: SystemError(EACCES)) {
        try FileWatcher(folder.appendingPathComponent("a.json").path)
      }
    }
  }

  /// The threads of watchers in this process, other tests' too.
  private static func threads() -> Set<String> {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return Set(
      all.filter {
        let name = try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
        return name == "file watch\n"
      })
  }

  /// How often a thread was given the processor.
  private static func wakes(of thread: String) -> Int {
    let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
    return (status ?? "").split(separator: "\n").filter { $0.contains("ctxt_switches") }
      .compactMap { Int($0.split(separator: "\t").last ?? "") }.reduce(0, +)
  }
}
