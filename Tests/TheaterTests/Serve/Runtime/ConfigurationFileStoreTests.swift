import Devices
import Foundation
import TestSupport
import TheaterConfiguration
import Testing
import TheaterLoader

@testable import theater

@Suite struct ConfigurationFileStoreTests {
  /// Runs `body` with a store whose file exists.
  private static func withStore(
    _ body: (ConfigurationFileStore, URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("devices.json")
      try Data(RuntimeHarness.text().utf8).write(to: file)
      let paths = ApplicationPaths { $0.hasPrefix("XDG") ? folder.path : nil }
      try await body(
        ConfigurationFileStore(
          name: file.path,
          plugins: [Program.project.appendingPathComponent("Plugins").path], paths: paths), file)
    }
  }

  @Test("F6 · reads, validates and replaces the file")
  func replaced() async throws {
    try await Self.withStore { store, file in
      let text = try store.read()
      #expect(try store.validate(text).configuration.devices.count == 3)
      let new = Array(RuntimeHarness.text(amp: #""plugin": "Simulated""#).utf8)
      try store.replace(text, with: new)
      #expect(try store.read() == new)
      #expect(try store.validate(new).configuration["amp"]?.plugin == "Simulated")
    }
  }

  @Test("F6 · does not replace a file that was edited meanwhile, nor one that is gone")
  func edited() async throws {
    try await Self.withStore { store, file in
      let text = try store.read()
      try Data("{}".utf8).write(to: file)
      let edited = try #require(throws: TheaterError.self) { try store.replace(text, with: [1]) }
      #expect(edited.code == .notNow && edited.hint != nil)
      #expect(try store.read() == Array("{}".utf8))
      try FileManager.default.removeItem(at: file)
      #expect(throws: TheaterError.self) { try store.replace(text, with: [1]) }
      #expect(throws: InvalidConfiguration.self) { try store.read() }
    }
  }

  @Test("F5 F6 · checks a submitted text without reading the files that it names")
  func foreign() async throws {
    try await Self.withStore { store, _ in
      let text = RuntimeHarness.text(
        more: #", "web": {"tls": {"certificate": "/nowhere/a.pem", "key": "/nowhere/b.pem"}}"#)
      let loaded = try store.validate(store.read())
      #expect(try store.check(Array(text.utf8), with: loaded).devices.count == 3)
      #expect(throws: InvalidConfiguration.self) { try store.validate(Array(text.utf8)) }
    }
  }

  @Test("F6 · a corrected manifest takes effect when the configuration is read again")
  func mendedManifest() async throws {
    try await withTemporaryFolder { folder in
      let plugins = folder.appendingPathComponent("plugins")
      let odd = plugins.appendingPathComponent("Odd")
      try FileManager.default.createDirectory(at: odd, withIntermediateDirectories: true)
      let manifest = odd.appendingPathComponent("manifest.json")
      try Data("{".utf8).write(to: manifest)
      let file = folder.appendingPathComponent("devices.json")
      try Data(RuntimeHarness.text(lights: #""plugin": "Odd""#).utf8).write(to: file)
      let store = ConfigurationFileStore(
        name: file.path,
        plugins: [plugins.path, Program.project.appendingPathComponent("Plugins").path],
        paths: ApplicationPaths { $0.hasPrefix("XDG") ? folder.path : nil })
      let loaded = try store.validate(store.read())
      let target = MemoryTheater(loaded)
      let runtime = TheaterRuntime(
        loaded, from: try ConfigurationText(store.read()), in: store, target: target,
        logger: RecordedLog().logger)
      await runtime.reload()
      #expect(target.applied == 0)
      let mended = """
        {"id": "Odd", "version": "1", "protocol": "1.0", "command": ["./odd"],
         "roles": {"lights": {}}}
        """
      try Data(mended.utf8).write(to: manifest)
      await runtime.reload()
      #expect(target.applied == 1)
      await runtime.reload()
      #expect(target.applied == 1)
    }
  }
}
