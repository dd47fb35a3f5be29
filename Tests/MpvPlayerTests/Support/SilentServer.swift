import TestSupport

/// A web server on 127.0.0.1 that reads the request of its first connection, and never answers it.
struct SilentServer {
  /// The address of the server, without a slash at the end.
  let address: String
  private let server: RunningProgram

  /// Prints its port, and a line when the client has closed the first connection.
  private static let program = """
    import socket
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1])
    peer = server.accept()[0]
    while peer.recv(65536):
        pass
    print("closed")
    """

  init() throws {
    server = try RunningProgram("python3", ["-u", "-c", Self.program])
    address = "http://127.0.0.1:\(try server.line())"
  }

  /// Waits until the client has closed the first connection; fails after `seconds`. Blocks its thread.
  func waitForClose(within seconds: Double) throws { _ = try server.line(within: seconds) }

  /// Ends the server.
  func end() { server.end() }
}
