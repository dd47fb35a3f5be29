import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A pseudo-terminal whose shell runs one command, prints the terminal's modes when the command has
/// ended or was stopped, and then waits for a command word.
final class Terminal: Sendable {
  private let master: Int32
  private let shell: pid_t
  private let shown = Transcript()
  /// Whether an expected text has not come.
  private let isLost = Mutex(false)

  /// The shell controls jobs, so that Ctrl-C and Ctrl-Z reach the command alone.
  private static let script = """
    set -m
    trap : INT
    modes() { echo "[$1 $2]" $(stty -a | tr -d ';' | tr ' ' '\\n' | grep -xE -- '-?(echo|icanon)'); }
    sh -c 'echo "[pid $$]"; exec "$0" "$@"' "$@"
    modes ended $?
    while read -r word; do
      $word
      modes again $?
    done
    """

  // Glibc declares these only with _GNU_SOURCE: TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h, and
  // POSIX_SPAWN_SETSID of spawn.h.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
  private static let newSession: Int16 = 0x80
  private static let resetSignals = Int16(POSIX_SPAWN_SETSIGDEF)

  /// Runs a command in it.
  init(_ program: URL, _ arguments: [String], environment: [String: String]) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, 0)
    try #require(
      master >= 0 && ioctl(master, Self.setLock, &lock) == 0
        && ioctl(master, Self.getNumber, &number) == 0)
    var size = winsize(ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session leader opens becomes its controlling terminal.
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The test runner may have been started to ignore SIGHUP, as by nohup(1).
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Self.newSession | Self.resetSignals)

    let words = ["sh", "-c", Self.script, "sh", program.path] + arguments
    // With the test runner's setting SIGQUIT would print a backtrace.
    let variables = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .map { "\($0)=\($1)" }
    var pid: pid_t = 0
    let outcome = Self.withStrings(words) { words in
      Self.withStrings(variables) { posix_spawn(&pid, "/bin/sh", &actions, &attributes, words, $0) }
    }
    try #require(outcome == 0)
    shell = pid
  }

  private static func withStrings<Value>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
  ) -> Value {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  /// The complete output.
  var text: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(master, &bytes, bytes.count)
      guard count > 0 else { return shown.text }
      shown.append(bytes.prefix(count))
    }
  }

  /// The output after the last expected text.
  var news: String { String(decoding: Array(text.utf8).dropFirst(shown.mark), as: UTF8.self) }

  /// Waits until `text` appears after the last expected text. When it does not, nothing is waited for any more,
  /// because what follows does not come either.
  func expect(_ text: String, _ location: SourceLocation = #_sourceLocation) async {
    guard !isLost.withLock({ $0 }) else { return }
    let isShown = await eventually { self.news.contains(text) }
    #expect(isShown, "waited for \(text) in \(news.debugDescription)", sourceLocation: location)
    isLost.withLock { $0 = !isShown }
    shown.moveMark(behind: text)
  }

  /// Writes to the terminal, as a keyboard does.
  func type(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether the terminal echoes, and passes input line by line.
  var isOrdinary: Bool {
    var modes = termios()
    guard tcgetattr(master, &modes) == 0 else { return false }
    return modes.c_lflag & tcflag_t(ECHO) != 0 && modes.c_lflag & tcflag_t(ICANON) != 0
  }

  /// The process of the command.
  var command: pid_t? {
    guard let start = text.range(of: "[pid ") else { return nil }
    return pid_t(text[start.upperBound...].prefix { $0.isNumber })
  }

  /// Kills the shell and its command.
  func close() {
    kill(shell, SIGHUP)
    kill(shell, SIGKILL)
    _ = waitpid(shell, nil, 0)
    Glibc.close(master)
  }
}

/// The output of a terminal.
private final class Transcript: Sendable {
  private let state = Mutex<(bytes: [UInt8], mark: Int)>(([], 0))

  var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
  var mark: Int { state.withLock { $0.mark } }
  func append(_ bytes: ArraySlice<UInt8>) { state.withLock { $0.bytes += bytes } }

  /// Sets the mark behind the next `text`.
  func moveMark(behind text: String) {
    state.withLock { state in
      let rest = state.bytes[state.mark...]
      guard let found = rest.firstRange(of: Array(text.utf8)) else { return }
      state.mark = found.upperBound
    }
  }
}
