import APIClient
import ArgumentParser
import JSON
import TheaterAPI

/// `theater guest`: makes and revokes guest passes.
struct Guest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make guest passes for chosen activities.",
    subcommands: [Make.self, List.self, Revoke.self, Enter.self])

  /// `theater guest invite --activities film,music --volume 40 --for 6h`.
  struct Make: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "invite",
      abstract: "Make a guest pass; its code opens sessions until it expires.")
    @Option(help: ArgumentHelp("What guests may do: film,music.", valueName: "names"))
    var activities: String
    @Option(
      parsing: .unconditional, help: "The highest volume that the guest may set, 0 to 100.")
    var volume = 50
    @Option(
      parsing: .unconditional, help: "The highest age rating that the guest may watch, in years.")
    var age: AgeWord?
    @Option(
      name: .customLong("for"), parsing: .unconditional,
      help: ArgumentHelp("How long the pass is valid: 30m, 6h, 7d.", valueName: "time"))
    var validity: TimeSpan = .day
    @Option(help: "The guest's name in lists.")
    var name = "Guest"
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (0...100).contains(volume) else { throw ValidationError("--volume takes 0 to 100.") }
      guard validity.seconds <= 30 * 86_400 else {
        throw ValidationError("--for takes at most 30d.")
      }
    }

    func run() async throws {
      let names = activities.split(separator: ",").map {
        JSON.string(String($0.drop { $0 == " " }))
      }
      var body: JSONObject = [
        "name": .string(name), "activities": .array(names), "volumeLimit": .integer(volume),
        "validFor": .integer(validity.seconds),
      ]
      if let years = age?.years { body["ageLimit"] = .integer(years) }
      let answer = try await RemoteTheater().post(
        PeopleEndpoint.createGuestPass.path(), .object(body))
      try output.show(answer) {
        "guest pass: \($0["code"]?.string ?? "?")\n"
          + "It is good until \($0["expires"]?.string ?? "?").\n"
          + "The guest types it at: theater guest enter\n"
          + ($0["link"]?.string.map { "or opens: \($0)\n" } ?? "")
          + "Revoke it with: \(ProgramName.name) guest revoke \($0["id"]?.string ?? "?")"
      }
    }
  }

  /// `theater guest list`: lists the valid passes.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the guest passes.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let answer = try await RemoteTheater().get(PeopleEndpoint.guestPasses.path())
      try output.show(answer) {
        let passes = $0["guests"]?.array ?? []
        if passes.isEmpty { return "There are no guest passes." }
        var columns = Columns(["id", "name", "activities", "volume", "age limit", "expires"])
        for pass in passes {
          columns.add(
            pass["id"]?.string ?? "?", pass["name"]?.string ?? "?",
            (pass["activities"]?.array ?? []).compactMap(\.string).joined(separator: ", "),
            pass["volumeLimit"]?.text() ?? "?", pass["ageLimit"]?.text() ?? "",
            pass["expires"]?.string ?? "?")
        }
        return columns.text
      }
    }
  }

  /// `theater guest revoke ID`.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a guest pass; its sessions end at once.")
    @Argument(help: "The id of the pass.") var id: String
    @OptionGroup var output: OutputOptions

    func validate() throws { try NameArgument.requireText(id, "a guest pass") }

    func run() async throws {
      try await RemoteTheater().delete(PeopleEndpoint.revokeGuestPass.path(id))
      output.confirm("The guest pass is revoked.")
    }
  }

  /// `theater guest enter`: opens a session. The code is typed or read from standard input, so that
  /// no list of processes shows it.
  struct Enter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Open a session with the code of a guest pass, typed or on standard input.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let theater = try RemoteTheater(needsLogin: false)
      let pass = try Prompt.secretLine("Guest pass")
      let answer = try await theater.post(
        SessionEndpoint.enterAsGuest.path(), ["pass": .string(pass)])
      guard let token = answer["token"]?.string else {
        throw ExitError(.failed, "the controller gave no token")
      }
      try theater.session.write(token)
      let end = answer["expires"]?.printable
      output.confirm(
        "Welcome! You may stay until \(end?.string ?? "?").", ["expires": end ?? .null])
    }
  }
}

extension TimeSpan {
  /// A day.
  static let day = TimeSpan(seconds: 86_400)
}
