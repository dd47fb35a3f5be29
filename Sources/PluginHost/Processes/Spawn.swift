import CLinux
import Glibc

/// `posix_spawn` for a plugin: its own process group, three pipes, nothing else inherited.
struct Spawn {
  /// The process and our ends of its pipes; the caller closes them.
  struct Child {
    let pid: Int32
    let stdin: Int32
    let stdout: Int32
    let stderr: Int32
  }

  let program: String
  let arguments: [String]
  let environment: [String: String]
  let folder: String

  /// Starts the process.
  func callAsFunction() throws(LaunchError) -> Child {
    var pipes: [Pipe] = []
    do {
      for _ in 0..<3 { pipes.append(try Pipe()) }
      let pid = try start(stdin: pipes[0], stdout: pipes[1], stderr: pipes[2])
      close(pipes[0].reading)
      close(pipes[1].writing)
      close(pipes[2].writing)
      return Child(
        pid: pid, stdin: pipes[0].writing, stdout: pipes[1].reading, stderr: pipes[2].reading)
    } catch {
      for pipe in pipes {
        close(pipe.reading)
        close(pipe.writing)
      }
      throw error
    }
  }

  private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws(LaunchError) {
      var ends: [Int32] = [-1, -1]
      guard linux_pipe(&ends) == 0 else {
        throw LaunchError("no pipe can be made: \(text(of: errno)); see ulimit -n")
      }
      (reading, writing) = (ends[0], ends[1])
    }
  }

  private func start(stdin: Pipe, stdout: Pipe, stderr: Pipe) throws(LaunchError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin.reading, 0)
    posix_spawn_file_actions_adddup2(&actions, stdout.writing, 1)
    posix_spawn_file_actions_adddup2(&actions, stderr.writing, 2)
    guard linux_spawn_confine(&actions, folder) == 0 else {
      throw LaunchError("no process can be started: out of memory")
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var pid: pid_t = 0
    let names = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let outcome = withCStrings([program] + arguments) { argv in
      withCStrings(names) { envp in
        posix_spawnp(&pid, program, &actions, &attributes, argv, envp)
      }
    }
    guard outcome == 0 else { throw LaunchError(explanation(of: outcome)) }
    return pid
  }

  private func explanation(of error: Int32) -> String {
    switch error {
    case ENOENT where !program.contains("/"):
      "the program \(program) is not installed, or not found along PATH"
    case ENOENT: "there is no program \(program), or its interpreter is missing"
    case EACCES: "the program \(program) may not be started; chmod +x may mend it"
    case ENOEXEC: "\(program) is not a program for this machine"
    case EAGAIN: "no process can be started: the limit is reached; see ulimit -u"
    default: "\(program) cannot be started: \(text(of: error))"
    }
  }
}

/// The system's words for an error number.
func text(of error: Int32) -> String {
  strerror(error).map { String(cString: $0) } ?? "error \(error)"
}

/// Lends `body` a null-terminated list of C strings.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
