import TestSupport

/// A web server on the loopback that serves a folder.
struct FileServer {
  /// Its address, without a slash at the end.
  let address: String
  private let server: RunningProgram

  init(folder: String) throws {
    server = try RunningProgram(
      "python3",
      ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder])
    let greeting = try server.line()
    guard let port = greeting.firstMatch(of: /port (\d+)/)?.1 else {
      throw RunningProgram.NoLine(description: "no port in: \(greeting)")
    }
    address = "http://127.0.0.1:\(port)"
  }

  /// Ends the server.
  func end() { server.end() }
}
