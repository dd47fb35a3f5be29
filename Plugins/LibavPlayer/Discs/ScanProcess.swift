import CLinux
import Glibc
import JSON
import Platform
import PluginProtocol

/// Scans a folder in a process of its own: libav's 25 MB go with it. A file that brings libav down, or
/// holds it up for ever, costs itself alone: the next process goes on behind it.
struct ScanProcess: Sendable {
  /// The word that makes our own program scan: `--scan FOLDER`, with the known files as input.
  static let option = "--scan"
  /// So many files may bring a process down; then the scan ends with what it has.
  static let mostRestarts = 20
  /// Bytes that a scanning process may say.
  private static let mostBytes = 256 << 20

  /// The program; by default the one that runs.
  var program = "/proc/self/exe"
  /// How long a process may say nothing, in milliseconds; a file's own limit is below it.
  var patience = 30_000
  /// How long it may walk the folder before it says anything, in milliseconds.
  var patienceWithFolder = 240_000

  /// Waits for the whole scan: call it on a thread that may wait.
  func scan(_ folder: MediaFolder, known: [String: String]) throws(MediaFailure) -> FolderScan {
    var scan = FolderScan()
    var known = known
    for _ in 0...Self.mostRestarts {
      var run = try Run.start(folder, program: program, known: known)
      let reason = run.read(into: &scan, patience: patience, first: patienceWithFolder)
      guard let reason else { return scan }
      // Without a file to blame another try would end as this one did.
      guard let current = scan.current else { throw Self.failure(folder, reason) }
      scan.take(
        .skipped(
          MediaFailure(
            .corrupt, subject: current.path, detail: "reading it failed: \(reason)",
            hint: "Check the file with: ffprobe FILE"), wasRead: true))
      known = scan.stamps
    }
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
      try FolderScan.run(folder, walk: FolderWalk(folder), known: known, limits: ScanLimits()) {
        say($0.json)
      }
      say(["end": true])
    } catch {
      say(["failure": .string(error.message)])
    }
  }

  /// Prints a line at once, so that it is out before a file brings the process down.
  private static func say(_ json: JSON) { write(json.text() + "\n", to: 1) }

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

    /// Starts the process, which does not open what is `known`.
    static func start(
      _ folder: MediaFolder, program: String, known: [String: String]
    ) throws(MediaFailure) -> Run {
      let input = file(of: known)
      defer { if input >= 0 { close(input) } }
      do throws(SystemError) {
        guard input >= 0 else { throw SystemError(errno) }
        // It stays in our process group, so that it ends with us.
        return Run(
          try ChildProcess(
            ProgramStart(
              program, [ScanProcess.option, folder.root], input: .descriptor(input),
              output: .pipe, error: .descriptor(2))))
      } catch {
        throw ScanProcess.failure(folder, error.description)
      }
    }

    deinit { close(child.output) }

    /// Adds what the process says to `scan`, to its end: nil, or why it ended too early.
    mutating func read(into scan: inout FolderScan, patience: Int, first: Int) -> String? {
      var wait = first
      while let line = nextLine(milliseconds: wait) {
        wait = patience
        guard let json = try? JSON(parsing: line) else { return end("it said what is no JSON") }
        if let failure = json["failure"]?.string { return end(failure) }
        if json["end"]?.bool == true {
          let status = child.wait()
          return status == .exited(0) ? nil : "the scan ended with \(status)"
        }
        guard let event = ScanEvent(json) else { return end("it said what cannot be read") }
        scan.take(event)
      }
      if mustEnd { return end("it took too long or said too much") }
      return "the scan ended with \(child.wait())"
    }

    /// Kills the process and returns the reason. The process may hang in a read from a disk that is
    /// gone, so a separate thread waits for its end.
    private func end(_ reason: String) -> String {
      child.signal(SIGKILL)
      let child = child
      SystemThread.start(name: "scan end") { child.wait() }
      return reason
    }

    /// The next line without its end; nil at the end, when nothing came in time, or too much.
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

    /// A file in memory that lists what is known; -1 with `errno` set.
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
