import Foundation
import Glibc
import TestSupport
import Testing

@testable import theater

@Suite("Which configuration is judged")
struct JudgedConfigurationTests {
  private let folder: TemporaryFolder
  private let paths: ApplicationPaths

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    paths = ApplicationPaths {
      [
        "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path(of: "run"),
        "XDG_CONFIG_HOME": folder.path(of: "config"),
      ][$0]
    }
    try FileManager.default.createDirectory(
      atPath: paths.runtime, withIntermediateDirectories: true)
  }

  /// A socket that a controller would listen at; closed by the caller.
  private func listen() -> Int32 {
    let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(paths.socket.utf8)) }
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    _ = Glibc.listen(file, 8)
    return file
  }

  private func judged(_ file: String? = nil, plugins: [String] = []) -> JudgedConfiguration {
    JudgedConfiguration(file, plugins: plugins, paths: paths)
  }

  @Test("the file of the running controller comes first, with its plugin folders")
  func running() throws {
    try folder.write("config/theater/devices.json", Array("{}".utf8))
    let record = ControllerRecord(configuration: "/srv/home.json", plugins: ["/srv/plugins"])
    try record.write(to: paths)
    // The record of a controller that has crashed does not count.
    #expect(judged().reason == .installed)
    let socket = listen()
    defer { close(socket) }
    #expect(judged().path == "/srv/home.json")
    #expect(judged().reason == .running)
    #expect(judged(plugins: ["/mine"]).plugins == ["/mine", "/srv/plugins"])
    #expect(judged().description == "/srv/home.json (the file of the running controller)")
    ControllerRecord.remove(from: paths)
    #expect(judged().reason == .installed)
  }

  @Test("without a controller it is the installed file, and only then that of the folder")
  func installed() throws {
    #expect(judged().path == "devices.json" && judged().reason == .folder)
    let file = try folder.write("config/theater/devices.json", Array("{}".utf8))
    #expect(judged().path == file && judged().reason == .installed)
  }

  @Test("a file that is named is judged, whatever runs")
  func named() throws {
    try ControllerRecord(configuration: "/srv/home.json", plugins: ["/srv/plugins"])
      .write(to: paths)
    let socket = listen()
    defer { close(socket) }
    #expect(judged("mine.json").path == "mine.json")
    #expect(judged("mine.json").reason == .named && judged("mine.json").plugins.isEmpty)
    #expect(judged("mine.json").description == "mine.json")
  }

  @Test("a damaged record, a link and a relative path do not count")
  func damaged() throws {
    let socket = listen()
    defer { close(socket) }
    for text in ["", "[]", "{\"configuration\": \"devices.json\"}", "{\"configuration\": 1}"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: paths.record))
      #expect(ControllerRecord(ofRunning: paths) == nil, "\(text)")
    }
    unlink(paths.record)
    let other = try folder.write("other", Array("{\"configuration\": \"/x\"}".utf8))
    symlink(other, paths.record)
    #expect(ControllerRecord(ofRunning: paths) == nil)
  }

  @Test("the record has absolute paths, so that it holds in every folder")
  func absolute() {
    let record = ControllerRecord(configuration: "devices.json", plugins: ["more/../plugins"])
    let here = FileManager.default.currentDirectoryPath
    #expect(record.configuration == "\(here)/devices.json")
    #expect(record.plugins == ["\(here)/plugins"])
  }
}
