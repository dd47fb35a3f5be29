import Foundation
import Glibc
import Platform
import Synchronization

/// A program that runs beside a test, killed at the latest when this value is released.
///
/// Its standard input is a pipe; the program reads its end when the test process ends.
public final class RunningProgram: Sendable {
  /// The destination of the program's output.
  public enum Output: Sendable {
    /// To ``line(within:)`` or ``readLines(_:atEnd:)``.
    case lines
    /// To files that exist, appended: its output, and its errors.
    case files(output: String, errors: String)
  }

  private let child: ChildProcess
  private let output: LineReader?
  private let isInputOpen = Mutex(true)
  /// Holds the errors of a program whose output is read.
  private let scratch: TemporaryFolder?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is looked up in the path.
  ///   - environment: All of its variables; `nil` for those of this process.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil,
    output: Output = .lines
  ) throws {
    // Writing to a program that has ended must not kill the test process.
    Glibc.signal(SIGPIPE, SIG_IGN)
    var start = ProgramStart(program, arguments, environment: environment, input: .pipe)
    var files: [OpenFile] = []
    switch output {
    case .lines:
      let folder = try TemporaryFolder()
      files = [try OpenFile(folder.path(of: "errors"), O_WRONLY | O_CREAT | O_APPEND)]
      scratch = folder
      start.output = .pipe
      start.error = files[0].stream
    case .files(let output, let errors):
      files = try [output, errors].map { path throws(SystemError) in
        try OpenFile(path, O_WRONLY | O_APPEND)
      }
      scratch = nil
      start.output = files[0].stream
      start.error = files[1].stream
    }
    child = try ChildProcess(start)
    withExtendedLifetime(files) {}
    self.output = child.output < 0 ? nil : LineReader(child.output)
    SystemThread.start(name: "program") { [child] in child.wait() }
  }

  deinit {
    end()
    endInput()
  }

  /// Its process id.
  public var id: pid_t { child.id }
  /// Whether it has not ended.
  public var isRunning: Bool { child.isRunning }
  /// The exit status; `nil` while it runs.
  public var status: ChildProcess.ExitStatus? { isRunning ? nil : child.wait() }

  /// Sends it a signal, unless it has ended.
  public func signal(_ number: Int32) { child.signal(number) }

  /// Kills it.
  public func end() { signal(SIGKILL) }

  /// Waits until it has ended, for `seconds` at most. Returns whether it has.
  public func waitForEnd(within seconds: Double = 60) async -> Bool {
    await eventually(within: seconds) { !self.isRunning }
  }

  // MARK: Lines

  /// Writes a line to its standard input.
  public func send(_ line: String) {
    isInputOpen.withLock { isOpen in
      var bytes = Array((line + "\n").utf8)[...]
      while isOpen, !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(child.input, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
      }
    }
  }

  /// Closes its standard input.
  public func endInput() {
    isInputOpen.withLock { isOpen in
      if isOpen { close(child.input) }
      isOpen = false
    }
  }

  /// Returns the next line of its output. Blocks the calling thread.
  ///
  /// - Throws: ``NoLine`` if it has ended, or prints none within `seconds`.
  public func line(within seconds: Double = 60) throws -> String {
    if let line = output?.next(within: seconds) { return line }
    let errors = scratch.flatMap {
      try? String(contentsOfFile: $0.path(of: "errors"), encoding: .utf8)
    }
    throw NoLine(description: "process \(id) has printed no further line\n\(errors ?? "")")
  }

  /// Reads its output on a thread of its own from now on.
  public func readLines(
    _ take: @escaping @Sendable (String) -> Void, atEnd: @escaping @Sendable () -> Void = {}
  ) {
    guard let output else { return }
    // The thread holds the reader, not this value: the program is killed when this value is
    // released.
    SystemThread.start(name: "lines") {
      while let line = output.next(within: nil) { take(line) }
      atEnd()
    }
  }

  /// The error of a program that has not printed an expected line, with its error output.
  public struct NoLine: Error, CustomStringConvertible {
    public let description: String
    public init(description: String) { self.description = description }
  }
}

/// A reader of lines from a descriptor, which is closed when the reader is released.
private final class LineReader: Sendable {
  private let descriptor: Int32
  private let rest = Mutex<[UInt8]>([])

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Returns the next line without its newline; `nil` at the end of the output, or if there is none
  /// within `seconds`.
  func next(within seconds: Double?) -> String? {
    rest.withLock { rest in
      let deadline = seconds.map { ContinuousClock.now + .seconds($0) }
      var piece = [UInt8](repeating: 0, count: 65_536)
      var searched = 0
      while true {
        if let end = rest[searched...].firstIndex(of: 0x0A) {
          defer { rest.removeFirst(end + 1) }
          return String(decoding: rest[..<end], as: UTF8.self)
        }
        searched = rest.count
        let left = deadline.map { max(0, ($0 - .now) / .milliseconds(1)) }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&entry, 1, left.map { Int32($0) } ?? -1)
        if ready < 0, errno == EINTR { continue }
        guard ready > 0 else { return nil }
        let count = read(descriptor, &piece, piece.count)
        guard count > 0 else { return nil }
        rest += piece[..<count]
      }
    }
  }
}
