import Devices
import Foundation
import JSON
import TestSupport
import Testing

@testable import TheaterConfiguration

@Suite("Secrets")
struct SecretTests {
  private static let text = Fixtures.whole(
    #""device": "hw:1""#, #""device": {"secret": "card"}, "password": {"secret": "radio-password"}"#
  )

  @Test("a secret is shown by its name everywhere and revealed to the plugin alone")
  func sealed() throws {
    let secrets = PocketSecrets(texts: ["card": "hw:7", "radio-password": "xyzzy-plugh"])
    let configuration = try Fixtures.read(Self.text, secrets: secrets)
    let options = try #require(configuration["amp"]).options
    #expect(options.revealed()["password"] == "xyzzy-plugh")
    #expect(options.revealed()["device"] == "hw:7")
    #expect(options.written["password"] == ["secret": "radio-password"])
    var dumped = ""
    dump(configuration, to: &dumped)
    for shown in ["\(configuration)", "\(options)", String(reflecting: options), dumped] {
      #expect(!shown.contains("xyzzy"))
    }
    #expect(!"\(Secret(name: "a", text: "xyzzy"))".contains("xyzzy"))
  }

  @Test("two configurations that differ in a secret's text alone are equal")
  func difference() throws {
    let one = try Fixtures.read(
      Self.text, secrets: PocketSecrets(texts: ["card": "hw:7", "radio-password": "a"]))
    let two = try Fixtures.read(
      Self.text, secrets: PocketSecrets(texts: ["card": "hw:7", "radio-password": "b"]))
    #expect(one == two)
  }

  @Test("a missing secret is an error at its place")
  func missing() {
    let problems = Fixtures.problems(Self.text, secrets: PocketSecrets(texts: ["card": "hw:7"]))
    #expect(problems.map(\.path.description) == ["$.devices.amp.options.password"])
    #expect(problems.map(\.kind) == [.secret])
  }

  @Test("a secret that does not fit is refused without being shown")
  func unfit() {
    let problems = Fixtures.problems(
      Self.text, secrets: PocketSecrets(texts: ["card": "XYZZY", "radio-password": "b"]))
    #expect(problems.map(\.path.description) == ["$.devices.amp.options.device"])
    #expect(problems.first?.message.contains("^[a-z]+(:[0-9]+)?$") == true)
    #expect(!"\(problems)".contains("XYZZY"))
  }

  @Test(
    "a secret stands only for a text, and has a name",
    arguments: [
      #""buffer": {"secret": "x"}"#, #""password": {"secret": 5}"#,
      #""password": {"secret": "../x"}"#, #""password": {"secret": "x", "more": 1}"#,
      #""password": {}"#,
    ])
  func shape(_ option: String) {
    let text = Fixtures.whole(#""device": "hw:1""#, #""device": "hw", \#(option)"#)
    let problems = Fixtures.problems(text, secrets: PocketSecrets(texts: ["x": "y"]))
    #expect(problems.map(\.kind) == [.shape])
  }
}

@Suite("Files of secrets")
struct SecretFolderTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }
  private let secrets: SecretFolders

  init() throws {
    temporary = try TemporaryFolder()
    let folder = temporary.url
    for name in ["credentials", "own"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    secrets = SecretFolders(
      credentials: folder.appending(path: "credentials").path,
      own: folder.appending(path: "own").path)
  }

  private func write(_ text: String, _ name: String, mode: Int) throws {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }

  @Test("reads the user's own file, without the line break at its end")
  func own() throws {
    try write("open sesame\n", "own/a", mode: 0o600)
    #expect(try secrets.secret("a").reveal() == "open sesame")
  }

  @Test("the credentials directory comes first")
  func order() throws {
    try write("from here", "credentials/a", mode: 0o440)
    try write("not from here", "own/a", mode: 0o600)
    #expect(try secrets.secret("a").reveal() == "from here")
  }

  @Test("a secret that others can read is refused", arguments: [0o644, 0o604, 0o640, 0o660])
  func open(_ mode: Int) throws {
    try write("x", "own/a", mode: mode)
    let error = #expect(throws: SecretError.self) { try secrets.secret("a") }
    #expect(error?.message == "the secret \"a\" can be read by others")
    #expect(error?.hint.contains("chmod 600") == true)
  }

  @Test("a world-readable credential is refused, not passed over")
  func openCredential() throws {
    try write("x", "credentials/a", mode: 0o644)
    try write("y", "own/a", mode: 0o600)
    #expect(throws: SecretError.self) { try secrets.secret("a") }
  }

  @Test("F5 · a saved secret is readable by its owner alone, and replaces an earlier one")
  func save() throws {
    try FileManager.default.removeItem(at: folder.appending(path: "own"))
    for text in ["open sesame", "with a line break\n", "last"] {
      try secrets.save(text, as: "projector")
      #expect(try secrets.secret("projector").reveal() == text)
    }
    try write("too open", "own/lamp", mode: 0o644)
    try secrets.save("closed", as: "lamp")
    for name in ["own/projector", "own/lamp"] {
      let facts = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: name).path)
      #expect(facts[.posixPermissions] as? Int == 0o600)
    }
    let facts = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "own").path)
    #expect(facts[.posixPermissions] as? Int == 0o700)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "own").path)
    #expect(names.sorted() == ["lamp", "projector"])
  }

  @Test("F5 · a secret is not saved where it would not be used, or outside its folder")
  func refusedSave() throws {
    try write("from here", "credentials/a", mode: 0o440)
    try write("x", "real", mode: 0o600)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "own/link"), withDestinationURL: folder.appending(path: "real"))
    for name in ["a", "link", "../real", "", ".hidden"] {
      let error = #expect(throws: SecretError.self, "\(name)") { try secrets.save("y", as: name) }
      #expect(error?.hint.isEmpty == false)
      if name == ".hidden" {
        #expect(error?.hint.contains("do not begin with \".\"") == true)
      }
    }
    #expect(throws: SecretError.self) { try secrets.save("", as: "b") }
    #expect(
      try String(contentsOf: folder.appending(path: "real"), encoding: .utf8) == "x")
  }

  @Test("missing, empty, binary, large and linked secrets are refused with a next step")
  func wrong() throws {
    try write("\n", "own/empty", mode: 0o600)
    try Data([0xFF, 0xFE]).write(to: folder.appending(path: "own/binary"))
    try write(String(repeating: "x", count: 70_000), "own/large", mode: 0o600)
    try write("x", "real", mode: 0o600)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.appending(path: "own/binary").path)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "own/link"), withDestinationURL: folder.appending(path: "real"))
    try FileManager.default.createDirectory(
      at: folder.appending(path: "own/folder"), withIntermediateDirectories: true)
    for name in ["missing", "empty", "binary", "large", "link", "folder", "../real", ""] {
      let error = #expect(throws: SecretError.self, "\(name)") { try secrets.secret(name) }
      #expect(error?.hint.isEmpty == false)
    }
  }
}
