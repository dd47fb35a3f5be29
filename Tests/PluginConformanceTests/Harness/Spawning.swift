import CLinux
import Foundation
import Glibc

/// A started child with our ends of its pipes.
struct Child {
  let process: pid_t
  let input: Int32
  let output: Int32
}

/// Why a program could not be started.
struct SpawnFailure: Error, CustomStringConvertible {
  let description: String
}

/// What a plugin may count on; the rest of the environment is the controller's own.
private var environment: [String] {
  let all = ProcessInfo.processInfo.environment
  return ["PATH", "HOME", "XDG_RUNTIME_DIR", "ALSA_CONFIG_PATH"].compactMap { name in
    all[name].map { "\(name)=\($0)" }
  }
}

/// Starts `command`; its stderr goes nowhere.
func spawn(_ command: [String]) throws -> Child {
  var toChild: [Int32] = [-1, -1]
  var fromChild: [Int32] = [-1, -1]
  guard linux_pipe(&toChild) == 0, linux_pipe(&fromChild) == 0, let program = command.first else {
    throw SpawnFailure(description: "no pipe: error \(errno)")
  }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
  posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
  defer { arguments.forEach { free($0) } }
  var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
  defer { variables.forEach { free($0) } }
  var process = pid_t()
  let outcome = posix_spawn(&process, program, &actions, nil, &arguments, &variables)
  close(toChild[0])
  close(fromChild[1])
  guard outcome == 0 else {
    close(toChild[1])
    close(fromChild[0])
    throw SpawnFailure(
      description: "cannot start \(program): \(String(cString: strerror(outcome))); build it first")
  }
  return Child(process: process, input: toChild[1], output: fromChild[0])
}
