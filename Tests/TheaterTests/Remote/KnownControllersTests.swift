import APIClient
import Foundation
import Glibc
import TestSupport
import TheaterAPI
import Testing

@testable import theater

@Suite struct KnownControllersTests {
  private static let one = CertificateFingerprint(digest: [UInt8](repeating: 1, count: 32))
  private static let two = CertificateFingerprint(digest: [UInt8](repeating: 2, count: 32))

  private static func address(_ name: String, _ port: Int = 8080) throws -> RemoteAddress {
    try RemoteAddress("https://\(name):\(port)")
  }

  private static func paths(_ folder: TemporaryFolder) -> ApplicationPaths {
    ApplicationPaths { ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path(of: "config")][$0] }
  }

  @Test("keeps one certificate for each address, and the lines of people")
  func list() throws {
    let text = """
      # the box in the cellar
      https://box:8080 SHA-256 \(Self.one)

      https://tv:8080\tSHA-256\t\(Self.one)\r

      """
    var list = try KnownControllerList(text)
    let (box, tv) = (try Self.address("box"), try Self.address("tv"))
    #expect(list[box] == Self.one && list[tv] == Self.one)
    #expect(list[try Self.address("box", 8081)] == nil)
    list[box] = Self.two
    list[tv] = nil
    list[try Self.address("new")] = Self.one
    #expect(
      list.text == """
        # the box in the cellar
        https://box:8080 SHA-256 \(Self.two)

        https://new:8080 SHA-256 \(Self.one)

        """)
    #expect(try KnownControllerList(list.text) == list)
    #expect(try KnownControllerList("").entries.isEmpty)
  }

  @Test("a line that it cannot read is an error, not an unknown controller")
  func unreadable() throws {
    let good = "https://box:8080 SHA-256 \(Self.one)"
    for line in [
      "https://box:8080", "https://tv:1 SHA-1 \(Self.one)", "https://tv:1 SHA-256 AB:CD",
      "https://../x SHA-256 \(Self.one)", "\(good) more", good, "x", "\u{FEFF}\(good)",
    ] {
      #expect(throws: KnownControllerList.UnreadableLine(number: 2)) {
        try KnownControllerList("\(good)\n\(line)\n")
      }
    }
  }

  @Test("keeps its file in the folder of the settings, for this user alone")
  func file() throws {
    let folder = try TemporaryFolder()
    let known = KnownControllers(Self.paths(folder))
    let box = try Self.address("box")
    #expect(try known.fingerprint(of: box) == nil)
    try known.set(Self.one, for: box, inPlaceOf: nil)
    #expect(try known.fingerprint(of: box) == Self.one)
    let path = folder.path(of: "config/theater/known-controllers")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "config/theater"))
        == ["known-controllers"])
    try known.set(nil, for: box, inPlaceOf: Self.one)
    #expect(try known.fingerprint(of: box) == nil)
  }

  @Test("a certificate that another command has confirmed meanwhile is not replaced")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let known = KnownControllers(Self.paths(folder))
    let box = try Self.address("box")
    try known.set(Self.one, for: box, inPlaceOf: nil)
    let error = #expect(throws: ExitError.self) {
      try known.set(Self.two, for: box, inPlaceOf: nil)
    }
    #expect(error?.text.contains("another command has just confirmed") == true)
    #expect(try known.fingerprint(of: box) == Self.one)
    // The same answer twice is no contradiction.
    try known.set(Self.one, for: box, inPlaceOf: nil)
    try known.set(Self.two, for: box, inPlaceOf: Self.one)
    #expect(try known.fingerprint(of: box) == Self.two)
  }

  @Test("commands that confirm at the same time keep each other's controllers")
  func simultaneous() async throws {
    let folder = try TemporaryFolder()
    let theater = Program.products.appendingPathComponent("theater")
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_CONFIG_HOME"] = folder.path(of: "config")
    try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
      for number in 1...12 {
        let words = ["controllers", "confirm", "https://box\(number):8080", "\(Self.one)"]
        group.addTask { [environment] in
          try await Program.run(theater, words, environment: environment)
        }
      }
      for try await outcome in group { #expect(outcome.status == 0, "\(outcome.errors)") }
    }
    #expect(try KnownControllers(Self.paths(folder)).read().entries.count == 12)
  }

  @Test("a file that others could read, replace or plant is refused with what to do")
  func unsafe() throws {
    let folder = try TemporaryFolder()
    let known = KnownControllers(Self.paths(folder))
    let box = try Self.address("box")
    try known.set(Self.one, for: box, inPlaceOf: nil)
    let path = folder.path(of: "config/theater/known-controllers")
    chmod(path, 0o666)
    let open = #expect(throws: ExitError.self) { try known.fingerprint(of: box) }
    #expect(open?.text.contains("chmod 600 \(path)") == true)
    chmod(path, 0o600)
    chmod(folder.path(of: "config/theater"), 0o777)
    let writable = #expect(throws: ExitError.self) {
      try known.set(Self.two, for: box, inPlaceOf: Self.one)
    }
    #expect(writable?.text.contains("chmod go-w") == true)
    chmod(folder.path(of: "config/theater"), 0o755)
    try known.set(Self.two, for: box, inPlaceOf: Self.one)
    #expect(rename(path, path + ".real") == 0)
    symlink(path + ".real", path)
    let link = #expect(throws: ExitError.self) { try known.fingerprint(of: box) }
    #expect(link?.text.contains("is a link") == true)
    unlink(path)
    mkfifo(path, 0o600)
    #expect(throws: ExitError.self) { try known.fingerprint(of: box) }
    unlink(path)
    try Data(repeating: UInt8(ascii: "#"), count: 600 * 1024).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
    let large = #expect(throws: ExitError.self) { try known.fingerprint(of: box) }
    #expect(large?.text.contains("larger than") == true)
    try Data("https://box:8080 SHA-256 AB\n".utf8).write(to: URL(fileURLWithPath: path))
    let line = #expect(throws: ExitError.self) { try known.fingerprint(of: box) }
    #expect(line?.text.hasPrefix("\(path):1: ") == true)
  }

  @Test(
    "the session of each controller has files of its own, and none of this user's own controller")
  func sessionFiles() throws {
    let paths = Self.paths(try TemporaryFolder())
    let addresses = try [
      Self.address("box"), Self.address("box", 8081), Self.address("tv"),
      RemoteAddress("http://localhost:8080"), RemoteAddress("https://localhost:8080"),
      RemoteAddress("https://[::1]:8080"),
    ]
    let files = ([nil] + addresses).flatMap { [paths.token(at: $0), paths.device(at: $0)] }
    #expect(Set(files).count == files.count)
    #expect(paths.token(at: nil) == paths.token)
    #expect(files.allSatisfy { $0.hasPrefix(paths.state + "/") })
  }

  @Test("a certificate is confirmed by the word yes or by its fingerprint, and by nothing else")
  func answers() {
    for answer in ["yes", " YES ", "\(Self.one)", "sha-256 \(Self.one)"] {
      #expect(CertificateConfirmation.isYes(answer, to: Self.one), "\(answer)")
    }
    for answer in ["", "y", "no", "yes please", "\(Self.two)"] {
      #expect(!CertificateConfirmation.isYes(answer, to: Self.one), "\(answer)")
    }
  }

  @Test("a refused certificate is shown with the confirmed one and with what to do")
  func texts() throws {
    let box = try Self.address("box")
    let changed = ExitError(
      .certificate(box.controller, found: Self.two, confirmed: Self.one))
    #expect(changed.code == .failed)
    #expect(
      changed.text.contains("SHA-256 \(Self.one)") && changed.text.contains("SHA-256 \(Self.two)"))
    #expect(changed.text.contains("controllers confirm https://box:8080 FINGERPRINT"))
    let unknown = ExitError(.certificate(box.controller, found: Self.two, confirmed: nil))
    #expect(unknown.text.contains("SHA-256 \(Self.two)"))
    #expect(unknown.text.contains("controllers confirm https://box:8080 FINGERPRINT"))
    for text in [changed.text, unknown.text] { #expect(text.contains("nothing was sent")) }
  }
}
