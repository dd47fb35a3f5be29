import Foundation
import Platform

/// A PulseAudio server of a test, without hardware, D-Bus or a session: one silent sink,
/// paced in real time, whose monitor can be recorded.
///
/// Safe: a test uses it from one task at a time.
public final class SoundServer: @unchecked Sendable {
  public let folder: TemporaryFolder
  private var server: ChildProcess?

  /// Whether this machine has the required programs.
  public static let isInstalled = ["/usr/bin/pulseaudio", "/usr/bin/parec"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Starts a server in a temporary folder.
  public init() async throws {
    folder = try TemporaryFolder()
    try await start()
  }

  deinit { stop() }

  /// Returns an ALSA configuration that defines a PCM which plays into the sink.
  public func definition(of pcm: String) -> String {
    "pcm.\(pcm) { type pulse server \"unix:\(folder.path)/native\" device \"test\" }"
  }

  /// Starts the server, or restarts it on the same socket.
  public func start() async throws {
    server = try run(
      "/usr/bin/pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
      "--realtime=no", "--high-priority=no", "--log-target=file:\(folder.path(of: "log"))", "-L",
      "module-null-sink sink_name=test rate=48000 channels=2 norewinds=1", "-L",
      "module-native-protocol-unix socket=\(folder.path)/native auth-anonymous=1")
    let socket = folder.path(of: "native")
    guard await eventually({ Self.listens(at: socket) }) else {
      let log = FileManager.default.contents(atPath: folder.path(of: "log")) ?? Data()
      throw NotReady(socket: socket, log: String(decoding: log, as: UTF8.self))
    }
  }

  /// The server does not accept connections; its log may say why.
  public struct NotReady: Error, CustomStringConvertible {
    let socket, log: String
    public var description: String { "PulseAudio does not listen at \(socket). Its log: \(log)" }
  }

  /// Whether a program accepts connections at a path. The file of the socket is not enough: it
  /// exists a moment earlier.
  private static func listens(at path: String) -> Bool {
    let sockets = FileManager.default.contents(atPath: "/proc/net/unix") ?? Data()
    // The flag of a socket that listens: __SO_ACCEPTCON of the kernel.
    return String(decoding: sockets, as: UTF8.self).split(separator: "\n").contains {
      $0.hasSuffix(" \(path)") && $0.contains(" 00010000 ")
    }
  }

  /// Kills the server, as a crash would.
  public func stop() {
    guard let server else { return }
    server.signal(SIGKILL)
    server.wait()
    self.server = nil
    try? FileManager.default.removeItem(atPath: folder.path(of: "native"))
  }

  /// Starts to record the sound of the sink: 48000 Hz, 16 bits, two channels.
  public func record(to file: String) throws -> ChildProcess {
    try run(
      "/usr/bin/parec", "-s", "unix:\(folder.path)/native", "-d", "test.monitor",
      "--latency-msec=20", "--rate=48000", "--channels=2", "--format=s16le", "--raw", file)
  }

  /// Sets the sink's volume, in %, as a desktop's control does.
  public func setVolume(to volume: Int) throws {
    try run(
      "/usr/bin/pactl", "-s", "unix:\(folder.path)/native", "set-sink-volume", "test",
      "\(volume)%"
    ).wait()
  }

  private func run(_ path: String, _ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      ProgramStart(
        path, arguments,
        environment: [
          "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
          "PULSE_RUNTIME_PATH": folder.path, "PATH": "/usr/bin:/bin",
        ]))
  }
}
