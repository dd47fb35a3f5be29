import Foundation
import Platform

/// Runs programs for tests: the project's own and those of the system.
///
/// They are children of `ChildProcess`, which inherit nothing but their three streams. A child of Foundation's
/// `Process` may inherit what another thread has just opened, such as the pipe of another program, which then has
/// no end that can be noticed.
public enum Program {
  /// How a program ended, and what it printed.
  public struct Outcome: Sendable {
    /// Its exit status, or the number of the signal that ended it.
    public let status: Int32
    public let output: String
    public let errors: String
  }

  /// The folder with the built programs: that of the test binary itself.
  public static let products: URL = {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: path ?? "").deletingLastPathComponent()
  }()

  /// The project's folder.
  public static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a program to its end. A program that has not ended within the limit is killed, so that a
  /// test that expects a refusal fails instead of waiting forever.
  ///
  /// - Parameter limit: In seconds.
  public static func run(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil,
    input: String = "", folder: URL? = nil, limit: Double = 240
  ) async throws -> Outcome {
    try await withCheckedThrowingContinuation { done in
      SystemThread.start(name: "program") {
        done.resume(
          with: Result {
            try runBlocking(
              program.path, arguments, environment: environment, input: input,
              folder: folder?.path, limit: limit)
          })
      }
    }
  }

  /// Runs a program to its end as `run` does. Blocks its thread.
  ///
  /// - Parameter program: A path, or a name that is looked up in the path.
  public static func runBlocking(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil,
    input: String = "", folder: String? = nil, limit: Double = 240
  ) throws -> Outcome {
    let scratch = try TemporaryFolder()
    // Files, not pipes: nothing here can fill up and stall the program.
    let source = try scratch.write("in", Array(input.utf8))
    let (output, errors) = (scratch.path(of: "out"), scratch.path(of: "err"))
    let files = try [
      OpenFile(source, O_RDONLY), OpenFile(output, O_WRONLY | O_CREAT),
      OpenFile(errors, O_WRONLY | O_CREAT),
    ]
    let child = try ChildProcess(
      ProgramStart(
        program, arguments, environment: environment, folder: folder, input: files[0].stream,
        output: files[1].stream, error: files[2].stream))
    let status =
      switch child.wait(killingAfter: limit) {
      case .exited(let code): code
      case .signalled(let signal): signal
      }
    return Outcome(
      status: status, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }

  /// Runs a tool of the system, found through the path.
  public static func tool(_ words: [String], input: String = "") async throws -> Outcome {
    try await run(URL(fileURLWithPath: "/usr/bin/env"), words, input: input)
  }

  /// Runs a tool of the system, found through the path.
  public static func tool(_ words: String...) async throws -> Outcome { try await tool(words) }

  /// A Python with the module jsonschema: one that the environment names, Debian's, or one of the path.
  public static let pythonWithJSONSchema = Result {
    let environment = ProcessInfo.processInfo.environment
    let folders = ["/usr/bin"] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let candidates =
      [environment["THEATER_TEST_PYTHON"]].compactMap(\.self) + folders.map { "\($0)/python3" }
    for python in candidates where FileManager.default.isExecutableFile(atPath: python) {
      if try runBlocking(python, ["-c", "import jsonschema"]).status == 0 { return python }
    }
    throw Missing(
      description: "no python3 with jsonschema: apt-get install python3-jsonschema, or set "
        + "THEATER_TEST_PYTHON to the python of a virtual environment that has it")
  }

  /// A required program is missing.
  public struct Missing: Error, CustomStringConvertible {
    public let description: String
  }
}

/// A file that is open while this value lives; children inherit it as a stream only.
final class OpenFile {
  let descriptor: Int32
  var stream: ProgramStart.Stream { .descriptor(descriptor) }

  init(_ path: String, _ flags: Int32) throws(SystemError) {
    descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(errno) }
  }

  deinit { close(descriptor) }
}

extension ChildProcess {
  /// Waits for the end of the process, and kills it if it has not ended within `limit` seconds. Blocks its thread.
  @discardableResult public func wait(killingAfter limit: Double) -> ExitStatus {
    let exit = openExitDescriptor()
    if exit >= 0 {
      var entry = pollfd(fd: exit, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, Int32(limit * 1000)) == 0 { signal(SIGKILL) }
      close(exit)
    }
    return wait()
  }
}
