import Foundation
import Glibc
import JSON
import Synchronization

/// The process groups that this controller has started, on disk. After a `kill -9` of the
/// controller, the next one ends the groups that are left.
package final class ProcessRecords: Sendable {
  private static let prefix = "plugins-"
  private let folder: String
  private let path: String
  private let groups = Mutex<[Int32: UInt64]>([:])

  /// - Parameter folder: The runtime directory, private to the user.
  package init(folder: String) {
    self.folder = folder
    path = "\(folder)/\(Self.prefix)\(getpid()).json"
  }

  /// Records the group that `pid` leads.
  func add(_ pid: Int32) {
    guard let start = ProcessFacts.startTime(of: pid) else { return }
    groups.withLock { groups in
      groups[pid] = start
      write(groups)
    }
  }

  /// Removes a group that has ended.
  func remove(_ pid: Int32) {
    groups.withLock { groups in
      if groups.removeValue(forKey: pid) != nil { write(groups) }
    }
  }

  /// Kills all recorded groups.
  func killAll() {
    groups.withLock { groups in
      for (pid, start) in groups where ProcessFacts.startTime(of: pid) == start {
        kill(-pid, SIGKILL)
      }
    }
  }

  /// Writes the record. A failure is ignored: only the clean-up after a crash needs it.
  private func write(_ groups: [Int32: UInt64]) {
    guard !groups.isEmpty else {
      unlink(path)
      return
    }
    var list: [JSON] = []
    for (pid, start) in groups.sorted(by: { $0.key < $1.key }) {
      list.append(["pid": .integer(Int(pid)), "start": .integer(Int(clamping: start))])
    }
    let me = getpid()
    let start = ProcessFacts.startTime(of: me) ?? 0
    let record: JSON = [
      "controller": ["pid": .integer(Int(me)), "start": .integer(Int(clamping: start))],
      "groups": .array(list),
    ]
    try? Data(record.text().utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Ends the groups that controllers before this one have left, and removes their records.
  ///
  /// The system reuses pids, so a group is ended only if the start time of its leader is the
  /// recorded one. The record with this process's pid counts, too: an earlier controller may have had that pid.
  ///
  /// - Returns: The pids that were ended.
  package func endLeftovers() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var ended: [Int32] = []
    for name in names.sorted() where name.hasPrefix(Self.prefix) && name.hasSuffix(".json") {
      let file = "\(folder)/\(name)"
      guard let data = FileManager.default.contents(atPath: file),
        let record = try? JSON(parsing: data)
      else {
        unlink(file)
        continue
      }
      if let controller = Self.process(record["controller"]), Self.isAlive(controller) { continue }
      for entry in record["groups"]?.array ?? [] {
        guard let process = Self.process(entry), Self.isAlive(process) else { continue }
        if kill(-process.pid, SIGKILL) == 0 { ended.append(process.pid) }
      }
      unlink(file)
    }
    return ended
  }

  private struct Process {
    let pid: Int32
    let start: Int
  }

  private static func process(_ json: JSON?) -> Process? {
    // A pid of 1 or less would address far more than one group.
    guard let pid = json?["pid"]?.integer.flatMap(Int32.init(exactly:)), pid > 1,
      let start = json?["start"]?.integer
    else { return nil }
    return Process(pid: pid, start: start)
  }

  private static func isAlive(_ process: Process) -> Bool {
    ProcessFacts.startTime(of: process.pid).map { Int(clamping: $0) == process.start } ?? false
  }
}
