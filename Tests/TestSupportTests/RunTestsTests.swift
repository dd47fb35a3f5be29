import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@Suite("Scripts/run-tests", .timeLimit(.minutes(3))) struct RunTestsTests {
  private static let green = """
    echo '◇ Test run started.'
    echo '◇ Test "a lamp" started.'
    echo 'a word that a device has said'
    echo '✔ Test "a lamp" passed after 0.1 seconds.'
    echo '✔ Test run with 1 test in 1 suite passed after 0.1 seconds.'
    """

  /// Makes a copy of the script, with this program as the tests: a script for `sh`. Returns the copy's path.
  private func copy(to folder: TemporaryFolder, tests: String) throws -> String {
    let script = Program.project.appending(path: "Scripts/run-tests")
    let program = try folder.write(
      ".build/debug/HomeTheaterPackageTests.xctest", Array("#!/bin/sh\n\(tests)\n".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    return try folder.write("Scripts/run-tests", Array(Data(contentsOf: script)))
  }

  /// Runs a copy of the script with this program as the tests.
  private func run(
    _ tests: String, _ words: [String] = ["--brief"], environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let script = try copy(to: folder, tests: tests)
    var variables = ProcessInfo.processInfo.environment
    variables["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = nil
    return try await Program.run(
      URL(filePath: "/usr/bin/env"), ["python3", "-B", script] + words,
      environment: variables.merging(environment) { $1 }, limit: 60)
  }

  @Test("a green run is one line with --brief, and all lines without")
  func green() async throws {
    let brief = try await run(Self.green)
    #expect(brief.status == 0)
    #expect(brief.output == "✔ Test run with 1 test in 1 suite passed after 0.1 seconds.\n")
    #expect(brief.errors.isEmpty)
    let whole = try await run(Self.green, [])
    #expect(whole.status == 0)
    #expect(whole.output.contains("a word that a device has said"))
    #expect(whole.output.contains("Skipped: 0\n"))
  }

  @Test("a known issue is no failure, and its test has ended")
  func knownIssue() async throws {
    let summary = "━ Test run with 1 test in 1 suite passed after 0.1 seconds with 1 known issue."
    let outcome = try await run(
      """
      echo '◇ Test "a lamp" started.'
      echo '━ Test "a lamp" recorded a known issue at LampTests.swift:7:5: Expectation failed: false'
      echo '━ Test "a lamp" passed after 0.1 seconds with 1 known issue.'
      echo '\(summary)'
      """)
    #expect(outcome.status == 0)
    #expect(outcome.output == "\(summary)\n")
  }

  @Test("a whole run counts the tests that were skipped, with their reasons, and those repeated")
  func unproven() async throws {
    let outcome = try await run(
      """
      echo '◇ Test "a lamp" started.'
      echo '➜ Test "a mount" skipped: "needs the right to mount a small disk"'
      echo '➜ Test passing 2 arguments "a case" is no test of its own'
      echo '➜ Suite Films skipped: "needs the packages pulseaudio and pulseaudio-utils"'
      echo '━ Test "a lamp" recorded a known issue at LampTests.swift:7:5: Expectation failed: false'
      echo '━ Test "a lamp" recorded a known issue with 1 argument length → 1.0 at LampTests.swift:8:5'
      echo '↻ Test "a lamp" is repeated: run 2 of 5'
      echo '━ Test "a lamp" recorded a known issue at LampTests.swift:7:5: Expectation failed: false'
      echo '↻ Test "a lamp" is repeated: run 3 of 5'
      echo '✔ Test "a lamp" passed after 0.1 seconds.'
      echo '✔ Test run with 1 test in 1 suite passed after 0.1 seconds.'
      """, [])
    #expect(outcome.status == 0)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(
      lines.suffix(5) == [
        "Skipped: 2", "  \"a mount\": needs the right to mount a small disk",
        "  Films: needs the packages pulseaudio and pulseaudio-utils",
        "Measured again, because the machine stood still: 1", "  a lamp: 3 runs",
      ])
  }

  @Test("a failed run prints what failed, and fails")
  func failed() async throws {
    let outcome = try await run(
      """
      echo '◇ Test "a lamp" started.'
      echo '◇ Test "a screen" started.'
      echo 'a word that a device has said'
      echo '✘ Test "a lamp" recorded an issue at LampTests.swift:7:5: Expectation failed: false'
      echo '↳ it stayed dark'
      echo '✘ Test "a lamp" failed after 0.1 seconds with 1 issue.'
      echo '✔ Test "a screen" passed after 0.1 seconds.'
      echo '✘ Test run with 2 tests in 1 suite failed after 0.1 seconds with 1 issue.'
      exit 1
      """)
    #expect(outcome.status == 1)
    let lines = (outcome.output + outcome.errors).split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "✘ Test \"a lamp\" recorded an issue at LampTests.swift:7:5: Expectation failed: false",
        "↳ it stayed dark", "✘ Test \"a lamp\" failed after 0.1 seconds with 1 issue.",
        "✘ Test run with 2 tests in 1 suite failed after 0.1 seconds with 1 issue.",
      ])
  }

  @Test("a run that comes to a halt is ended, and names the tests that it waited for")
  func halted() async throws {
    let outcome = try await run(
      """
      echo '◇ Test "a lamp" started.'
      echo '◇ Test "a screen" started.'
      echo '✔ Test "a screen" passed after 0.1 seconds.'
      exec sleep 1000
      """, environment: ["THEATER_TEST_SILENCE": "0.1"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("No test has started or ended"))
    #expect(outcome.errors.contains(" s  \"a lamp\""))
    #expect(!outcome.errors.contains(" s  \"a screen\""))
  }

  @Test("tests that end early name their signal and the tests that ran")
  func crashed() async throws {
    let outcome = try await run("echo '◇ Test \"a lamp\" started.'\nkill -ILL $$")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("ended early, with signal 4"))
    #expect(outcome.errors.contains(" s  \"a lamp\""))
  }

  @Test("a run of no test fails: the filter is mistyped")
  func empty() async throws {
    let outcome = try await run(
      "echo '✔ Test run with 0 tests in 0 suites passed after 0.1 seconds.'")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("--filter"))
  }

  @Test("an interrupted run leaves no process behind")
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let script = try copy(to: folder, tests: "echo $$\nexec sleep 1000")
    let run = try RunningProgram("python3", ["-B", script])
    let tests = try #require(pid_t(try run.line()))
    run.signal(SIGTERM)
    try #require(await run.waitForEnd())
    #expect(run.status == .exited(130))
    #expect(kill(tests, 0) == -1)
  }

  @Test("four tests run at a time unless the caller says otherwise, and words reach the tests")
  func width() async throws {
    let tests = """
      echo "$SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH $*"
      \(Self.green)
      """
    let usual = try await run(tests, ["--filter", "Lamp"])
    #expect(
      usual.output.hasPrefix("4 --testing-library swift-testing --parallel --filter Lamp\n"))
    let other = try await run(
      tests, [], environment: ["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "2"])
    #expect(other.output.hasPrefix("2 "))
  }
}
