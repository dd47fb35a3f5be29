import Foundation

/// A web server on the loopback that serves a folder.
final class FileServer {
  /// Its address, without a slash at the end.
  let address: String
  private let process = Process()

  /// The server ended without a port.
  struct NotStarted: Error {}

  init(folder: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder,
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = line.firstMatch(of: /port (\d+)/)?.1 else { throw NotStarted() }
    address = "http://127.0.0.1:\(port)"
  }

  deinit { end() }

  /// Ends the server.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}
