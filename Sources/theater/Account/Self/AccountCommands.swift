import ArgumentParser
import JSON

/// `theater logout`: the end of this user's session.
struct LogOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "logout", abstract: "Log out.")

  func run() async throws {
    let theater = try RemoteTheater()
    defer { TokenFile(theater.folders.token).remove() }
    try await theater.delete("/api/v1/sessions/current")
    Console.say("You are logged out.")
  }
}

/// `theater whoami`: who is logged in.
struct WhoAmI: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show who is logged in.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get("/api/v1/sessions/current")
    try output.show(answer) {
      let user = $0["user"]
      let address = user?["email"]?.string.map { " <\($0)>" } ?? ""
      return "\(user?["name"]?.string ?? "?")\(address), "
        + "\(user?["role"]?.string ?? "?")"
    }
  }
}
