import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@Suite("Child processes")
struct ChildProcessTests {
  /// Returns the whole standard output of a program.
  private func output(of program: ProgramStart) throws -> (
    text: String, status: ChildProcess.ExitStatus
  ) {
    var program = program
    program.output = .pipe
    let child = try ChildProcess(program)
    defer { close(child.output) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(child.output, &chunk, chunk.count), count > 0 {
      bytes += chunk[..<count]
    }
    return (String(decoding: bytes, as: UTF8.self), child.wait())
  }

  private func shell(_ script: String) -> ProgramStart { ProgramStart("sh", ["-c", script]) }

  @Test("F1 · a program gets its arguments, its folder, and only its own environment")
  func surroundings() throws {
    var program = shell("echo $0 $1; pwd; env | grep -v -e ^PWD -e ^_ -e ^SHLVL -e ^OLDPWD")
    program.arguments += ["zero", "one"]
    program.environment = ["PATH": "/usr/bin:/bin", "WORD": "a b"]
    program.folder = "/usr"
    let (text, status) = try output(of: program)
    #expect(
      text.split(separator: "\n").sorted() == [
        "/usr", "PATH=/usr/bin:/bin", "WORD=a b", "zero one",
      ])
    #expect(status == .exited(0))
  }

  @Test("F1 · a program inherits its three streams and no other descriptor")
  func descriptors() throws {
    // Without close-on-exec, an ordinary child would inherit this descriptor.
    let leak = try #require(dup(0) as Int32?)
    try #require(leak >= 0 && fcntl(leak, F_SETFD, 0) == 0)
    defer { close(leak) }
    let (text, _) = try output(of: shell("ls /proc/$$/fd; true"))
    #expect(text.split(separator: "\n") == ["0", "1", "2"])
  }

  @Test("F1 · a program begins with no signal blocked or ignored")
  func signals() async throws {
    let text = try await SystemThread.run(name: "caller") {
      // A `SystemThread` blocks signals; a child must not inherit its mask.
      try output(of: ProgramStart("grep", ["-e", "SigBlk", "-e", "SigIgn", "/proc/self/status"]))
        .text
    }
    let masks = text.split(separator: "\n").compactMap { line in
      line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
    }
    // glibc keeps the signals 32 and 33 for itself.
    #expect(masks.count == 2 && masks.allSatisfy { $0 & ~(3 << 31) == 0 }, "\(text)")
  }

  @Test("F1 · bytes go through the pipes in both directions")
  func pipes() throws {
    let child = try ChildProcess(ProgramStart("cat", input: .pipe, output: .pipe))
    defer { close(child.output) }
    #expect(write(child.input, "line", 4) == 4)
    close(child.input)
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(child.output, &bytes, 16) == 4 && bytes.starts(with: Array("line".utf8)))
    #expect(child.wait() == .exited(0))
  }

  @Test("F1 · a program gets this process's own streams in any order")
  func swappedStreams() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("links")
      // A shell may redirect its own output for the time of a command.
      var program = shell(
        "cd /proc/$$/fd; links=$(readlink 0 1 2); echo \"$links\" >\(file.path)")
      program.input = .descriptor(2)
      program.output = .descriptor(0)
      program.error = .descriptor(1)
      #expect(try ChildProcess(program).wait() == .exited(0))
      let own = try [2, 0, 1].map {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      let links = try String(contentsOf: file, encoding: .utf8)
      #expect(links.split(separator: "\n").map(String.init) == own)
    }
  }

  @Test(
    "F1 · a program that cannot be started throws the reason, and leaves no descriptor open",
    arguments: [("/no/such/program", ENOENT), ("no-such-program", ENOENT), ("/etc", EACCES)])
  func failure(_ program: String, _ code: Int32) throws {
    let before = try openDescriptors()
    #expect(throws: SystemError(code)) {
      try ChildProcess(ProgramStart(program, input: .pipe, output: .pipe, error: .pipe))
    }
    // A leak would leave 200 descriptors and more. The tolerance is for those that other tests open meanwhile.
    for _ in 0..<200 { _ = try? ChildProcess(ProgramStart(program, input: .pipe, output: .pipe)) }
    #expect(try openDescriptors() < before + 200)
  }

  private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  @Test("F1 · the end of a group's leader ends the rest of the group")
  func group() async throws {
    var program = shell("sleep 1000 >/dev/null & echo $!")
    program.leadsGroup = true
    let (text, status) = try output(of: program)
    #expect(status == .exited(0))
    let number = text.trimmingCharacters(in: .newlines)
    let rest = try #require(Int32(number))
    #expect(await eventually { kill(rest, 0) != 0 || isZombie(rest) })
  }

  /// Whether a process has ended and waits for init to collect it.
  private func isZombie(_ process: Int32) -> Bool {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return text?.contains(") Z ") ?? true
  }

  @Test("F1 · a collected process is not signalled any more, and stays collected")
  func collected() throws {
    let child = try ChildProcess(ProgramStart("sleep", ["1000"], leadsGroup: true))
    #expect(child.isRunning)
    child.signal(SIGTERM)
    #expect(child.wait() == .signalled(SIGTERM))
    #expect(child.wait() == .signalled(SIGTERM))
    #expect(!child.isRunning)
    child.signal(SIGKILL)
  }

  @Test("F1 · an exit descriptor becomes readable when the process ends")
  func exitDescriptor() throws {
    let child = try ChildProcess(ProgramStart("sleep", ["1000"]))
    let descriptor = child.openExitDescriptor()
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 0) == 0)
    child.signal(SIGKILL)
    #expect(poll(&entry, 1, 10_000) == 1)
    child.wait()
    // Another process may have its id now.
    #expect(child.openExitDescriptor() == -1)
  }

  @Test("F1 · an exit status is described in words")
  func statuses() {
    #expect(ChildProcess.ExitStatus.exited(3).description == "exit status 3")
    #expect(ChildProcess.ExitStatus.signalled(SIGKILL).description == "signal 9 (Killed)")
  }
}
