import CLinux
import Glibc
import JSON
import MediaFolders
import Platform
import PluginProtocol
import Synchronization

/// Scans a folder in a separate process, whose end frees libav's 25 MB. If a file crashes or hangs libav, only this
/// file is left out: the next process goes on with the next file.
struct ScanProcess: Sendable {
  /// The option that makes this program scan: `--scan FOLDER NANOSECONDS`, with the time after which it
  /// opens no further file, and with the known files on standard input.
  static let option = "--scan"
  /// The most further processes, each after a file that crashed or hung the one before. Then the
  /// scan ends with the songs found so far.
  static let mostRestarts = 20
  /// The most bytes that a scanning process may print.
  private static let mostBytes = 256 << 20

  /// The path of the program; by default this one.
  var program = "/proc/self/exe"
  /// Milliseconds that a process may print nothing; a file's own limit is below it.
  var patience = 30_000
  /// Milliseconds that it may print nothing while it walks the folder; a process that gets on says so every second.
  var patienceWithFolder = 20_000
  /// Nanoseconds after which no process opens a further file.
  var time = ScanLimits().nanoseconds

  /// The number of killed processes that have not ended, because their disk does not answer.
  private static let dying = Atomic<Int>(0)
  /// The most of them; no further scan begins then.
  private static let mostDying = 4

  /// Scans a folder. Blocks until the scan has ended: call it on a thread that may wait.
  func scan(_ folder: MediaFolder, known: [String: String]) throws(MediaFailure) -> FolderScan {
    guard Self.dying.load(ordering: .relaxed) < Self.mostDying else {
      throw Self.failure(folder, "earlier scans still wait for their disks")
    }
    let end = MonotonicClock.now &+ Int64(clamping: time)
    var scan = FolderScan()
    var known = known
    var bad = 0
    while bad <= Self.mostRestarts, bad == 0 || MonotonicClock.now < end {
      let left = max(0, end - MonotonicClock.now)
      var run = try Run.start(folder, program: program, known: known, time: left)
      let reason = run.read(into: &scan, patience: patience, first: patienceWithFolder)
      guard let reason else { return scan }
      // Without a current file, another try would fail at the same place.
      guard let current = scan.current else { throw Self.failure(folder, reason) }
      bad += 1
      scan.apply(
        .skipped(
          MediaFailure(
            .corrupt, subject: current.path, detail: "reading it failed: \(reason)",
            hint: "Check the file with: ffprobe FILE"), wasRead: true))
      known = scan.stamps
    }
    let failure = MediaFailure(
      .unreachable, subject: folder.root,
      detail: "the rest of its files was not read: "
        + (bad > Self.mostRestarts
          ? "\(bad) files crashed or hung the scan" : "the time of the scan was over"),
      hint: "Scan the library again to go on.")
    scan.apply(.skipped(failure, wasRead: false))
    return scan
  }

  /// Runs the scan in the scanning process: prints its events line by line, then `{"end": true}`,
  /// or `{"failure": "…"}`.
  static func run(_ arguments: [String]) {
    nice(10)
    do throws(MediaFailure) {
      let folder = try MediaFolder(arguments.first ?? "")
      let list = (try? JSON(parsing: readAll(0)))?.array ?? []
      let files = list.compactMap { FoundFile($0) }
      let known = Dictionary(files.map { ($0.path, $0.stamp) }, uniquingKeysWith: { $1 })
      var limits = ScanLimits()
      if let time = arguments.dropFirst().first.flatMap(UInt64.init) { limits.nanoseconds = time }
      let walk = FolderWalk(folder, kind: walkingKind())
      try FolderScan.run(folder, walk: walk, known: known, limits: limits) {
        printLine($0.json)
      }
      printLine(["end": true])
    } catch {
      printLine(["failure": .string(error.message)])
    }
  }

  /// The kind of music files, which prints that the walk gets on, at most once a second.
  private static func walkingKind() -> MediaKind {
    let last = Mutex(MonotonicClock.now)
    return MediaKind(
      matchesName: { path in
        let isDue = last.withLock { last in
          let now = MonotonicClock.now
          guard now - last >= 1_000_000_000 else { return false }
          last = now
          return true
        }
        if isDue { printLine(["walking": true]) }
        return FolderWalk.music.matchesName(path)
      }, matchesContent: FolderWalk.music.matchesContent)
  }

  /// Prints a line at once, before the next file may crash the process.
  private static func printLine(_ json: JSON) { write(json.text() + "\n", to: 1) }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      rest = rest.dropFirst(max(0, count))
    }
  }

  private static func failure(_ folder: MediaFolder, _ detail: String) -> MediaFailure {
    MediaFailure(.unreachable, subject: folder.root, detail: "it could not be scanned: \(detail)")
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
      } else if count == 0 || errno != EINTR {
        return bytes
      }
    }
  }
}

extension ScanProcess {
  /// One scanning process.
  private struct Run: ~Copyable {
    private let child: ChildProcess
    private var unread: [UInt8] = []
    /// Where the next line begins in ``unread``.
    private var start = 0
    private var total = 0
    private var mustEnd = false

    private init(_ child: ChildProcess) { self.child = child }

    /// Starts the process, which does not open files in `known`, nor any file after `time` ns.
    static func start(
      _ folder: MediaFolder, program: String, known: [String: String], time: Int64
    ) throws(MediaFailure) -> Run {
      let input = file(of: known)
      defer { if input >= 0 { close(input) } }
      do throws(SystemError) {
        guard input >= 0 else { throw SystemError(errno) }
        // It stays in this process group, so that it ends together with the plugin.
        return Run(
          try ChildProcess(
            ProgramStart(
              program, [ScanProcess.option, folder.root, "\(time)"],
              input: .descriptor(input), output: .pipe, error: .descriptor(2))))
      } catch {
        throw ScanProcess.failure(folder, error.description)
      }
    }

    deinit { close(child.output) }

    /// Adds the printed events to `scan` until the process ends. Returns nil, or the reason of an
    /// early end.
    mutating func read(into scan: inout FolderScan, patience: Int, first: Int) -> String? {
      var wait = first
      while let line = nextLine(milliseconds: wait) {
        guard let json = try? JSON(parsing: line) else { return end("its output is not JSON") }
        if json["walking"]?.bool == true { continue }
        wait = patience
        if let failure = json["failure"]?.string { return end(failure) }
        if json["end"]?.bool == true {
          let status = child.wait()
          return status == .exited(0) ? nil : "the scan ended with \(status)"
        }
        guard let event = ScanEvent(json) else { return end("its output has an unknown event") }
        scan.apply(event)
      }
      if mustEnd { return end("it took too long or printed too much") }
      return "the scan ended with \(child.wait())"
    }

    /// Kills the process and returns the reason. The process may hang in a read from a lost disk, so a
    /// separate thread waits for its end.
    private func end(_ reason: String) -> String {
      child.signal(SIGKILL)
      let child = child
      ScanProcess.dying.add(1, ordering: .relaxed)
      SystemThread.start(name: "scan end") {
        child.wait()
        ScanProcess.dying.subtract(1, ordering: .relaxed)
      }
      return reason
    }

    /// Returns the next line without its end; nil at the end, when nothing came in time, or too much.
    private mutating func nextLine(milliseconds: Int) -> ArraySlice<UInt8>? {
      var searched = start
      let deadline = MonotonicClock.now + Int64(max(0, milliseconds)) * 1_000_000
      while true {
        if let end = unread[searched...].firstIndex(of: 0x0A) {
          defer { start = end + 1 }
          return unread[start..<end]
        }
        unread.removeFirst(start)
        start = 0
        searched = unread.count
        guard wait(until: deadline) else {
          mustEnd = true
          return nil
        }
        guard fill() else { return nil }
      }
    }

    private func wait(until deadline: Int64) -> Bool {
      while MonotonicClock.now < deadline {
        var entry = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
        let count = poll(&entry, 1, MonotonicClock().timeout(until: deadline))
        if count > 0 { return true }
        if count < 0, errno != EINTR { return false }
      }
      return false
    }

    private mutating func fill() -> Bool {
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = Glibc.read(child.output, &chunk, chunk.count)
      if count < 0, errno == EINTR { return true }
      guard count > 0 else { return false }
      total += count
      unread += chunk[..<count]
      mustEnd = total > ScanProcess.mostBytes
      return !mustEnd
    }

    /// Returns a file in memory that lists the known files; -1 with `errno` set.
    private static func file(of known: [String: String]) -> Int32 {
      let file = linux_memory_file()
      guard file >= 0 else { return -1 }
      let list = JSON.array(known.map { FoundFile(path: $0.key, stamp: $0.value).json })
      ScanProcess.write(list.text(), to: file)
      lseek(file, 0, SEEK_SET)
      return file
    }
  }
}
