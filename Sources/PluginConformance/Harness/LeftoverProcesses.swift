import Devices
import Glibc
import JSON
import PluginHost
import PluginProtocol

extension PluginTarget {
  /// The same plugin, started by a shell that outlives it. So the plugin's process group still exists when its
  /// program has ended, and shows the children that are left.
  var surviving: PluginTarget {
    let ended = RPCMessage.notification(method: PluginClient.endOfProgram, params: [:])
    let line = String(decoding: ended.line().dropLast(), as: UTF8.self)
    // The shell closes its streams, so that their end is seen. It stops instead of waiting, because a program that
    // waits would be a child, too. A signal that the program sends to its group does not end the shell.
    let script = #"trap : TERM INT HUP; "$@"; echo '\#(line)'; exec <&- >&- 2>&-; kill -STOP $$"#
    return with(
      command: ["/bin/sh", "-c", script, "sh", plugin.locatedProgram]
        + manifest.command.dropFirst())
  }
}

extension PluginClient {
  /// The method of the notification that the shell of a surviving target sends at the end of the program.
  fileprivate static let endOfProgram = "checkedProgramEnded"
  /// The longest wait for children that are about to end: they may end as late as the process.
  private static let childTimeout = Duration.seconds(2)
  private static let childInterval = Duration.milliseconds(20)

  /// Opens a device of a role, turns it on and plays its first item, so that the plugin starts the programs that it
  /// needs. Requests that the device refuses are skipped.
  ///
  /// - Returns: Whether the device opens.
  func startPlayback(of name: String, _ role: RoleTarget) async throws -> Bool {
    guard case .success = try await open(name, role).result else { return false }
    _ = try await perform(name, .string(role.firstCommand.name))
    guard role.role.has(.playback) else { return true }
    let scan = ScanRequest(device: DeviceID(name), folder: nil)
    guard case .success(let result) = try await call(ScanRequest.method, scan.params).result,
      let item = ScanRequest.decodeAnswer(result)?.items.first
    else { return true }
    _ = try await perform(name, ["play": ["item": .string(item.id)]])
    return true
  }

  /// Returns the children of the program and their children.
  func descendants() -> [RunningProcess] {
    guard let shell = processID else { return [] }
    let all = RunningProcess.all()
    var found: [RunningProcess] = []
    var parents: Set<Int32> = Set(all.filter { $0.parent == shell }.map(\.id))
    while true {
      let children = all.filter { parents.contains($0.parent) }
      if children.isEmpty { return found }
      found += children
      parents = Set(children.map(\.id))
    }
  }

  /// Waits until the program of a surviving target has ended.
  func expectEndOfProgram() async throws {
    let wait = OutputWait("the end of the process", rule: .exit)
    while true {
      if case .notification(Self.endOfProgram, _) = try await nextMessage(wait) { return }
    }
  }

  /// Fails if processes of the program's group are left, or some of `known`.
  func expectNoProcess(beside known: [RunningProcess]) async throws {
    guard let shell = processID else { return }
    let deadline = ContinuousClock.now + Self.childTimeout
    while true {
      let left = RunningProcess.all().filter { process in
        process.id != shell && process.group == shell || known.contains(process)
      }
      if left.isEmpty { return }
      guard ContinuousClock.now < deadline else {
        throw ConformanceFailure(
          "no child process after the end of the program",
          received: left.map { "\($0.name) (\($0.id))" }.sorted().joined(separator: ", "),
          advice: "end each child and wait for it before the program exits")
      }
      // The interval of a check with a deadline: Linux reports no end of another process's children.
      try await Task.sleep(for: Self.childInterval)
    }
  }
}

/// A process that has not ended, as `/proc` describes it.
struct RunningProcess: Sendable, Hashable {
  let id: Int32
  /// The time of its start, in clock ticks since boot. With ``id`` it identifies one process.
  let startTime: UInt64
  let parent: Int32
  let group: Int32
  /// The name of its program, cut to 15 bytes.
  let name: String

  static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && left.startTime == right.startTime
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(startTime)
  }

  /// Returns all processes that this process can see.
  static func all() -> [RunningProcess] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var processes: [RunningProcess] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let id = Int32(name), let process = RunningProcess(id) { processes.append(process) }
    }
    return processes
  }

  /// Reads `/proc/ID/stat`; `nil` if the process has ended.
  private init?(_ id: Int32) {
    let file = Glibc.open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    // The name in parentheses may contain spaces and parentheses.
    guard let begin = text.firstIndex(of: "("), let end = text.lastIndex(of: ")"), begin < end
    else { return nil }
    // proc(5): the fields after the name are the state, the parent, the group; the start time is the 22nd of all.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let parent = Int32(fields[1]),
      let group = Int32(fields[2]), let startTime = UInt64(fields[19])
    else { return nil }
    self.id = id
    self.startTime = startTime
    self.parent = parent
    self.group = group
    name = String(text[text.index(after: begin)..<end])
  }
}
