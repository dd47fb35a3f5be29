import CLinux
import Glibc
import JSON

/// Scans a folder in a process of its own: libav's 25 MB go with it, and a file that brings libav
/// down takes the scan along and not the music.
struct ScanProcess: Sendable {
  /// The word that makes our own program scan: `--scan FOLDER [SINCE]`.
  static let option = "--scan"

  /// The program; by default the one that runs.
  var program = "/proc/self/exe"

  /// Waits for the whole scan: call it on a thread that may wait.
  func scan(_ folder: MediaFolder, since: Double?) throws(MediaFailure) -> FolderScan {
    var pipes: [Int32] = [-1, -1]
    guard linux_pipe(&pipes) == 0 else { throw Self.failure(folder, MediaFolder.systemText(errno)) }
    defer { close(pipes[0]) }
    let arguments = [program, Self.option, folder.root] + (since.map { ["\($0)"] } ?? [])
    let child = Self.spawn(arguments, output: pipes[1])
    close(pipes[1])
    guard let child else { throw Self.failure(folder, MediaFolder.systemText(errno)) }
    let text = Self.readAll(pipes[0])
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    guard status == 0, let json = try? JSON(parsing: text) else {
      throw Self.failure(folder, "the scan ended with status \(status)")
    }
    if let failure = json["failure"]?.string { throw Self.failure(folder, failure) }
    guard let scan = FolderScan(json) else {
      throw Self.failure(folder, "the scan said nothing that can be read")
    }
    return scan
  }

  /// What the scanning process does: prints the scan, or `{"failure": "…"}`, as one line.
  static func run(_ arguments: [String]) {
    nice(10)
    let json: JSON
    do throws(MediaFailure) {
      let folder = try MediaFolder(arguments.first ?? "")
      json = try FolderScan(folder, since: arguments.dropFirst().first.flatMap(Double.init)).json
    } catch {
      json = ["failure": .string(error.message)]
    }
    print(json.text())
  }

  private static func failure(_ folder: MediaFolder, _ detail: String) -> MediaFailure {
    MediaFailure(.unreachable, subject: folder.root, detail: "it could not be scanned: \(detail)")
  }

  /// The process's id; nil with `errno` set.
  private static func spawn(_ arguments: [String], output: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    let strings = arguments.map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, arguments[0], &actions, nil, strings, environ)
    guard code == 0 else {
      errno = code
      return nil
    }
    return child
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
      } else if count == 0 || errno != EINTR {
        return bytes
      }
    }
  }
}
