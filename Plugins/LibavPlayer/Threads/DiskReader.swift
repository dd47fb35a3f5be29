import Glibc
import MediaFolders
import Platform
import Synchronization

/// Disk operations with a limit of time, each on a thread of its own.
///
/// A share that has stopped answering blocks a thread for as long as it likes. The caller then gets a failure, and
/// further operations on that folder fail at once until the thread comes back: so few threads are left behind, and
/// no other folder waits.
final class DiskReader: Sendable {
  /// The most threads that one folder may hold.
  private static let mostThreads = 4

  private struct State {
    /// The running operations of each folder, by their numbers: when each becomes overdue.
    var running: [String: [Int: Int64]] = [:]
    var next = 0
  }
  private let state = Mutex(State())
  /// Milliseconds that an operation may take.
  let patience: Int

  init(patience: Int = 5_000) { self.patience = patience }

  /// Runs an operation on the folder at `root`. While the folder has no thread left, such as when several commands come
  /// while a disk spins up, the operation waits for a place for as long as it may take.
  ///
  /// - Throws: Its failure, or `unreachable` if it takes longer than the patience, or an earlier one still does;
  ///   `cancelled` in a cancelled task that waits for a place.
  func run<Value: Sendable>(
    on root: String, name: String, milliseconds: Int? = nil,
    _ operation: @escaping @Sendable () throws(MediaFailure) -> Value
  ) async throws(MediaFailure) -> Value {
    let limit = milliseconds ?? patience
    let number = try await place(on: root, limit)
    let result = Promise<Value>()
    SystemThread.start(name: name) {
      let outcome = Result { () throws(MediaFailure) in try operation() }
      self.end(root, number)
      result.fulfil(outcome)
    }
    let timer = Task {
      if (try? await Task.sleep(for: .milliseconds(limit))) != nil {
        result.fulfil(.failure(Self.silent(root)))
      }
    }
    defer { timer.cancel() }
    return try await result.value().get()
  }

  /// Waits until the folder has a place for an operation. Returns its number.
  private func place(on root: String, _ limit: Int) async throws(MediaFailure) -> Int {
    let end = MonotonicClock.now &+ Int64(limit) &* 1_000_000
    while true {
      if let number = try begin(root, limit) { return number }
      guard MonotonicClock.now < end else { throw Self.silent(root) }
      do {
        try await Task.sleep(for: .milliseconds(10))
      } catch {
        throw MediaFailure(.cancelled, subject: root, detail: "it was given up")
      }
    }
  }

  /// Returns the number of a new operation; nil if the folder has no place for it.
  private func begin(_ root: String, _ limit: Int) throws(MediaFailure) -> Int? {
    let overdue = MonotonicClock.now &+ Int64(limit) &* 1_000_000
    let (number, isSilent) = state.withLock { state -> (Int?, Bool) in
      let running = state.running[root, default: [:]]
      if running.values.contains(where: { $0 < MonotonicClock.now }) { return (nil, true) }
      guard running.count < Self.mostThreads else { return (nil, false) }
      state.next += 1
      state.running[root, default: [:]][state.next] = overdue
      return (state.next, false)
    }
    if isSilent { throw Self.silent(root) }
    return number
  }

  private func end(_ root: String, _ number: Int) {
    state.withLock { state in
      state.running[root]?[number] = nil
      if state.running[root]?.isEmpty == true { state.running[root] = nil }
    }
  }

  /// The failure of a folder that does not answer.
  static func silent(_ root: String) -> MediaFailure {
    MediaFailure(
      .unreachable, subject: root, detail: "its disk or share does not answer",
      hint: "Check the disk or the network; the songs of other folders can be played.")
  }
}

extension MediaFolder {
  /// Reads one entry of the folder, to see whether its disk answers; blocks.
  func checkAnswers() throws(MediaFailure) {
    guard let directory = opendir(root) else {
      throw MediaFailure(.unreachable, subject: root, detail: Self.systemText(errno))
    }
    _ = readdir(directory)
    closedir(directory)
  }
}
