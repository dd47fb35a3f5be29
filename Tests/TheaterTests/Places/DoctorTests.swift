import Foundation
import Glibc
import Testing

@testable import theater

@Suite struct DoctorTests {
  /// A machine with one card, made of files.
  private final class Machine {
    let root: String

    init() throws {
      root = FileManager.default.temporaryDirectory.path + "/machine-\(UUID().uuidString)"
      try write(
        "/proc/asound/cards", " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n    at 0x1\n")
      try write("/proc/asound/card0/pcm0p/sub0/status", "closed\n")
      try write("/dev/snd/pcmC0D0p", "")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func write(_ path: String, _ text: String) throws {
      let path = root + path
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
  }

  @Test("F1 · a machine whose sound is in order has nothing wrong")
  func goodSound() throws {
    let machine = try Machine()
    let findings = SoundCheckup(root: machine.root) { _ in true }.findings()
    #expect(findings.map(\.verdict) == [.good, .good, .good])
    #expect(findings.first?.message.contains("HDA Intel PCH") == true)
  }

  @Test("F1 · no right to the card is told with the command that gives it")
  func noRights() throws {
    let machine = try Machine()
    let findings = SoundCheckup(root: machine.root) { _ in false }.findings()
    let rights = try #require(findings.first { $0.subject == "rights" })
    #expect(rights.verdict == .bad)
    #expect(rights.remedy?.contains("usermod -aG audio") == true)
  }

  @Test("F1 · who holds the PCM is named")
  func holder() throws {
    let machine = try Machine()
    try machine.write(
      "/proc/asound/card0/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 4711\n")
    try machine.write("/proc/4711/comm", "mpv\n")
    let findings = SoundCheckup(root: machine.root) { _ in true }.findings()
    #expect(findings.last?.message == "card0/pcm0p is held by mpv (process 4711)")
  }

  @Test("F1 · a machine without a card is no error: everything runs unheard")
  func noCard() throws {
    let machine = try Machine()
    try machine.write("/proc/asound/cards", "--- no soundcards ---\n")
    let findings = SoundCheckup(root: machine.root) { _ in true }.findings()
    #expect(findings.map(\.verdict) == [.notice])
    #expect(findings.first?.remedy?.contains("silent") == true)
  }

  @Test("F2 · a missing configuration is told with the command that shows the mistakes")
  func noConfiguration() async {
    let folders = Folders { ["HOME": "/nowhere"][$0] }
    let findings = await ConfigurationCheckup(
      path: "/nowhere/devices.json", plugins: [], folders: folders
    ).findings()
    #expect(findings.map(\.verdict) == [.bad])
    #expect(findings.first?.remedy?.hasSuffix("config check /nowhere/devices.json") == true)
  }

  @Test("E11 · a port that somebody has is told")
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
    #expect(PortCheckup.finding(port).verdict == .bad)
  }
}
