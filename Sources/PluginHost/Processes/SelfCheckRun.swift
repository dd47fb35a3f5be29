import Devices
import Glibc
import JSON
import PluginProtocol

/// Runs a plugin's program with `--self-check` and reads what it says.
struct SelfCheckRun {
  /// What the plugin misses, in its own words.
  typealias Complaint = String

  /// How long the program may take.
  static let longest = Duration.seconds(5)
  /// How much of its answer is read, in bytes.
  static let largest = 1 << 16

  let spawn: Spawn

  /// Runs on a thread of its own and calls `done` with the complaint, if there is one.
  ///
  /// A program that does not know the question has nothing to complain about.
  func start(_ done: @escaping @Sendable (Complaint?) -> Void) {
    PosixThread.start(name: "self-check") { [self] in
      guard let child = try? spawn() else { return done(nil) }
      close(child.stdin)
      let answer = read(child)
      close(child.stdout)
      close(child.stderr)
      _ = kill(-child.pid, SIGKILL)
      var status: Int32 = 0
      while waitpid(child.pid, &status, 0) < 0, errno == EINTR {}
      done(Self.complaint(in: answer))
    }
  }

  /// The answer's first line, as far as it came in time.
  private func read(_ child: Spawn.Child) -> ArraySlice<UInt8> {
    let clock = SystemClock()
    let deadline = clock.now() + Self.longest
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    var interests = [child.stdout, child.stderr].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while interests[0].fd >= 0, answer.count < Self.largest, !answer.contains(0x0A) {
      let left = (deadline - clock.now()).nanoseconds / 1_000_000
      guard left > 0, poll(&interests, 2, Int32(left)) > 0 || errno == EINTR else { break }
      for index in interests.indices where interests[index].revents != 0 {
        let count = Glibc.read(interests[index].fd, &chunk, chunk.count)
        if count <= 0 {
          interests[index].fd = -1
        } else if index == 0 {
          answer += chunk[..<count]
        }
      }
    }
    return answer.prefix { $0 != 0x0A }
  }

  /// `nil` when all is well or the answer is none.
  static func complaint(in line: ArraySlice<UInt8>) -> Complaint? {
    guard let answer = try? JSON(parsing: line), answer["ok"] == false else { return nil }
    let message = answer["message"]?.string ?? "its self-check failed"
    let text = answer["hint"]?.string.map { "\(message) (\($0))" } ?? message
    return StderrLog.safe(Array(text.utf8.prefix(1000)))
  }
}
