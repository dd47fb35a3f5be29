import TestSupport

/// A web server that serves a folder on 127.0.0.1.
struct FileServer {
  /// The address of the server, without a slash at the end.
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
