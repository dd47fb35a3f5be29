import Foundation
import Platform
import PluginKit
import Synchronization
import TestSupport

/// libasound's configuration for this test process: PCMs that need no hardware. The options take no arguments that are
/// paths, so each test defines devices of its own, with names of their own.
enum SoundConfiguration {
  /// Used until the process ends.
  private static let folder = try? TemporaryFolder()

  private struct Definitions {
    var text = ""
    var names: [String: String] = [:]
  }

  private static let definitions = Mutex(Definitions())

  /// Set once, before the first call into libasound; false when the virtual card cannot be built.
  static let isReady: Bool = {
    guard let folder else { return false }
    do {
      try buildCard(into: folder.path)
      try write(basis(library: folder.path(of: "libvirtualcard.so")), number: 0)
      return setenv("ALSA_CONFIG_PATH", folder.path(of: "asound.conf"), 1) == 0
    } catch {
      return false
    }
  }()

  /// Returns the name of a device that `body` defines: the text of a PCM, and of a mixer, for its name.
  ///
  /// The same `key` gets the same name each time. libasound reads the new configuration at the next opening.
  static func define(_ kind: String, key: String, _ body: (String) -> String) -> String {
    guard isReady else { return "undefined" }
    return definitions.withLock { definitions in
      if let known = definitions.names[key] { return known }
      let number = definitions.names.count + 1
      let name = "\(kind)\(number)"
      definitions.names[key] = name
      definitions.text += body(name)
      do {
        let library = folder?.path(of: "libvirtualcard.so") ?? ""
        try write(basis(library: library) + definitions.text, number: number)
      } catch {
        return "undefined"
      }
      return name
    }
  }

  /// Replaces the configuration file. Each version is kept, so that no two have the same inode: by that, libasound sees
  /// that the file has changed.
  private static func write(_ text: String, number: Int) throws {
    guard let folder else { throw CocoaError(.fileWriteUnknown) }
    let version = try folder.write("asound.\(number).conf", Array(text.utf8))
    let fresh = folder.path(of: "asound.new")
    guard link(version, fresh) == 0, rename(fresh, folder.path(of: "asound.conf")) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// The name of a PCM that writes raw frames to `file`, as fast as they come.
  static func capture(to file: String) -> String {
    define("capture", key: file) { name in
      "pcm.\(name) { type file slave.pcm \"null\" file \"\(file)\" format \"raw\" }\n"
    }
  }

  private static func buildCard(into folder: String) throws {
    let fixture = Program.project.appending(path: "Tests/Fixtures/VirtualCard")
    let make = try ChildProcess(
      ProgramStart(
        "/usr/bin/make", ["-s", "-C", fixture.path, "OUT=\(folder)"],
        environment: ["PATH": "/usr/bin:/bin", "TMPDIR": folder]))
    guard make.wait(killingAfter: 240) == .exited(0) else { throw CocoaError(.executableLoad) }
  }

  private static func basis(library: String) -> String {
    """
    </usr/share/alsa/alsa.conf>
    pcm_type.virtualcard { lib "\(library)" }
    ctl_type.virtualcard { lib "\(library)" }

    """
  }
}

extension SoundServer {
  /// The name of the server's PCM, and of its mixer.
  var pcm: String {
    SoundConfiguration.define("server", key: folder.path) { name in
      ["pcm", "ctl"].map { kind in
        "\(kind).\(name) { type pulse server \"unix:\(folder.path)/native\" device \"test\" }\n"
      }.joined()
    }
  }
}
