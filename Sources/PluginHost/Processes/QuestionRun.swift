import Devices
import Glibc
import JSON
import Platform
import PluginProtocol

/// One run of a plugin's program with a question (`--self-check`, `--list-devices`), which it answers
/// with one line of JSON.
struct QuestionRun {
  private static let longest = ProtocolLimits.questionTime
  private static let largest = ProtocolLimits.questionAnswer

  let program: ProgramStart

  /// Runs the program on a thread of its own and calls `done` after its end, with the answer (long
  /// texts cut) or the reason why there is none.
  func start(_ done: @escaping @Sendable (Result<JSON, LaunchError>) -> Void) {
    SystemThread.start(name: "question") { [self] in
      done(Result { () throws(LaunchError) in try answer() })
    }
  }

  private func answer() throws(LaunchError) -> JSON {
    let child = try ChildProcess.start(program)
    close(child.input)
    let line = Result { () throws(LaunchError) in try firstLine(of: child) }
    close(child.output)
    close(child.error)
    child.signal(SIGKILL)
    child.wait()
    do {
      let answer = try JSON(parsing: line.get())
      return answer.withBoundedLines(maximumBytes: ProtocolLimits.message)
    } catch let error as JSONSyntaxError {
      let why = "its answer is not JSON (\(error))"
      throw LaunchError(why.boundedLine(maximumBytes: ProtocolLimits.message))
    } catch let error as LaunchError {
      throw error
    } catch {
      throw LaunchError("it gave no answer")
    }
  }

  /// Reads the first line of the answer.
  private func firstLine(of child: ChildProcess) throws(LaunchError) -> ArraySlice<UInt8> {
    let clock = SystemClock()
    let deadline = clock.now() + Self.longest
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    var interests = [child.output, child.error].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while interests[0].fd >= 0, !answer.contains(0x0A) {
      guard answer.count < Self.largest else {
        throw LaunchError("its answer is longer than \(Self.largest) bytes")
      }
      let left = (deadline - clock.now()).nanoseconds / 1_000_000
      guard left > 0, poll(&interests, 2, Int32(left)) > 0 || errno == EINTR else {
        throw LaunchError("it did not answer within \(Int(Self.longest.seconds)) s")
      }
      for index in interests.indices where interests[index].revents != 0 {
        let count = Glibc.read(interests[index].fd, &chunk, chunk.count)
        if count <= 0 {
          interests[index].fd = -1
        } else if index == 0 {
          answer += chunk[..<count]
        }
      }
    }
    guard !answer.isEmpty else { throw LaunchError("it ended its output without an answer") }
    return answer.prefix { $0 != 0x0A }
  }
}

extension ProcessLauncher {
  /// Runs a plugin's program with a question (`--self-check`, `--list-devices`).
  ///
  /// - Parameter environment: The controller's variables; the program gets the allowed ones that
  ///   the manifest names.
  /// - Returns: The line of JSON that it answers, with long texts cut.
  /// - Throws: The reason why there is no answer, for people.
  package static func ask(
    _ question: String, of plugin: CataloguedPlugin, environment: [String: String]
  ) async throws(LaunchError) -> JSON {
    let run = QuestionRun(program: program(of: plugin, question, environment: environment))
    let answer = await withCheckedContinuation { continuation in
      run.start { continuation.resume(returning: $0) }
    }
    return try answer.get()
  }

  /// Runs the plugin's self-check without waiting for it. `onComplaint` is called only if the check
  /// fails, with its message.
  package func check(
    _ plugin: CataloguedPlugin, onComplaint: @escaping @Sendable (String) -> Void
  ) {
    let run = QuestionRun(
      program: Self.program(of: plugin, "--self-check", environment: environment))
    run.start { answer in
      // A program that does not know the question passes the check.
      if let complaint = (try? answer.get()).flatMap(Self.complaint) { onComplaint(complaint) }
    }
  }

  /// Returns the plugin's own message about its failed self-check; `nil` if the check passed.
  private static func complaint(in answer: JSON) -> String? {
    guard answer["ok"] == false else { return nil }
    let message = answer["message"]?.string ?? "its self-check failed"
    return answer["hint"]?.string.map { "\(message) (\($0))" } ?? message
  }
}
