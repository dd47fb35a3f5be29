import Foundation
import Glibc
import Storage
import TestSupport
import Testing

@testable import theater

@Suite struct DoctorTests {
  /// The files of a machine with one sound card.
  private final class Machine {
    private let folder: TemporaryFolder
    var root: String { folder.path }

    init() throws {
      folder = try TemporaryFolder()
      try write(
        "/proc/asound/cards", " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n    at 0x1\n")
      try write("/proc/asound/card0/pcm0p/sub0/status", "closed\n")
      try write("/dev/snd/pcmC0D0p", "")
    }

    func write(_ path: String, _ text: String) throws {
      try folder.write(path, Array(text.utf8))
    }
  }

  @Test("F1 · a machine with working sound has no faults")
  func goodSound() throws {
    let machine = try Machine()
    let findings = SoundCheck(root: machine.root) { _ in true }.findings()
    #expect(findings.map(\.verdict) == [.good, .good, .good])
    #expect(findings.first?.message.contains("HDA Intel PCH") == true)
  }

  @Test("F1 · a missing permission for the card comes with the command that gives it")
  func noRights() throws {
    let machine = try Machine()
    let findings = SoundCheck(root: machine.root) { _ in false }.findings()
    let rights = try #require(findings.first { $0.subject == "rights" })
    #expect(rights.verdict == .bad)
    #expect(rights.remedy?.contains("usermod -aG audio") == true)
  }

  @Test("F1 · the process that holds a PCM is named")
  func holder() throws {
    let machine = try Machine()
    try machine.write(
      "/proc/asound/card0/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 4711\n")
    try machine.write("/proc/4711/comm", "mpv\n")
    let findings = SoundCheck(root: machine.root) { _ in true }.findings()
    #expect(findings.last?.message == "card0/pcm0p is held by mpv (process 4711)")
  }

  @Test("F1 · a machine without a card is no error")
  func noCard() throws {
    let machine = try Machine()
    try machine.write("/proc/asound/cards", "--- no soundcards ---\n")
    let findings = SoundCheck(root: machine.root) { _ in true }.findings()
    #expect(findings.map(\.verdict) == [.notice])
    #expect(findings.first?.remedy?.contains("silent") == true)
  }

  @Test("F2 · a missing configuration comes with the command that lists the errors")
  func noConfiguration() async {
    let paths = ApplicationPaths { ["HOME": "/nowhere"][$0] }
    let findings = await ConfigurationCheck(
      path: "/nowhere/devices.json", plugins: [], paths: paths
    ).findings()
    #expect(findings.map(\.verdict) == [.bad])
    #expect(findings.first?.remedy?.hasSuffix("config check /nowhere/devices.json") == true)
  }

  // MARK: Backups

  /// Runs `body` with a state folder and a function that returns the findings on its backups.
  private func backups(
    days: Int = 0, _ arrange: (ApplicationPaths, Backups) throws -> Void
  ) throws -> [Finding] {
    let state = try TemporaryFolder()
    let paths = ApplicationPaths { ["XDG_STATE_HOME": state.path][$0] }
    try ApplicationPaths.make(privately: paths.state)
    try TheaterDatabase(in: paths.state).close()
    try arrange(paths, Backups(of: paths.state))
    return BackupCheck(
      paths: paths, now: Date(timeIntervalSinceNow: Double(days) * 86_400)
    ).findings()
  }

  @Test("F1 · without a database there is no finding on backups")
  func nothingToCopy() {
    #expect(BackupCheck(paths: ApplicationPaths { _ in "/nowhere" }).findings().isEmpty)
  }

  @Test("F1 · a missing backup comes with the command that makes one")
  func noBackup() throws {
    let findings = try backups { _, _ in }
    #expect(findings.map(\.verdict) == [.notice])
    #expect(findings.first?.remedy?.hasSuffix("backup create") == true)
  }

  @Test("F1 · a backup of 30 days is good, one of 31 is old", arguments: [0, 30, 31])
  func age(days: Int) throws {
    let findings = try backups(days: days) { _, backups in
      _ = try backups.create(.daily, at: Date())
    }
    #expect(findings.map(\.verdict) == [days > 30 ? .notice : .good])
    #expect(findings.first?.message.contains("31 days old") == (days > 30))
    #expect(findings.first?.remedy?.contains("backup create") == (days > 30 ? true : nil))
  }

  @Test("F1 · a damaged backup is named with its remedy, and is not the newest one")
  func damaged() throws {
    let findings = try backups { _, backups in
      let backup = try backups.create(.asked, at: Date())
      try Data(repeating: 7, count: 4096).write(
        to: URL(fileURLWithPath: "\(backup.path)/\(TheaterDatabase.fileName)"))
    }
    #expect(findings.map(\.verdict) == [.bad, .notice])
    #expect(findings.first?.message.contains("-asked cannot be used: ") == true)
    #expect(findings.first?.remedy?.contains("backup create, then rm -r /") == true)
  }

  @Test("F1 · a damaged database that a backup has replaced has no finding")
  func replaced() throws {
    let findings = try backups { paths, backups in
      let backup = try backups.create(.asked, at: Date())
      try Data(repeating: 7, count: 4096).write(
        to: URL(fileURLWithPath: "\(paths.state)/\(TheaterDatabase.fileName)"))
      _ = try backups.restore(backup, at: Date())
    }
    #expect(findings.map(\.verdict) == [.good])
    #expect(findings.first?.message.hasSuffix("-asked, the newest of 1") == true)
  }

  @Test("a port in use is a fault")
  func busyPort() throws {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, length) == 0 && listen(file, 1) == 0 && getsockname(file, $0, &length) == 0
      }
    }
    try #require(isBound)
    let port = Int(in_port_t(bigEndian: address.sin_port))
    #expect(PortCheck.finding(port).verdict == .bad)
  }
}
