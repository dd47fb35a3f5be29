import APIClient
import ArgumentParser
import JSON
import TheaterAPI

/// `theater invite`: makes and revokes invitations to register.
struct Invite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Invite a person to register.",
    discussion:
      "Without a subcommand it makes an invitation; `invite make` has the options --role and --for.",
    subcommands: [Make.self, List.self, Revoke.self], defaultSubcommand: Make.self)

  /// `theater invite make`.
  struct Make: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "make", abstract: "Make an invitation.")
    @Option(help: "What the person may do: member or owner.")
    var role = AccountRoleArgument.member
    @Option(
      name: .customLong("for"), parsing: .unconditional,
      help: ArgumentHelp("How long the code is valid: 30m, 6h, 7d.", valueName: "time"))
    var validity: TimeSpan?
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard validity.map({ $0.seconds <= 90 * 86_400 }) ?? true else {
        throw ValidationError("--for takes at most 90d.")
      }
    }

    func run() async throws {
      var body: JSONObject = ["role": .string(role.rawValue)]
      if let validity { body["validFor"] = .integer(validity.seconds) }
      let answer = try await RemoteTheater().post(PeopleEndpoint.invite.path(), .object(body))
      try output.show(answer) {
        let code = $0["code"]?.string ?? "?"
        return "invitation: \(code)\nIt is good once, until \($0["expires"]?.string ?? "?").\n"
          + "The other person types: theater register --invitation \(code)"
          + ($0["link"]?.string.map { "\nor opens: \($0)" } ?? "")
      }
    }
  }

  /// `theater invite list`: lists the open invitations.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the open invitations.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let answer = try await RemoteTheater().get(PeopleEndpoint.invitations.path())
      try output.show(answer) {
        let invitations = $0["invitations"]?.array ?? []
        if invitations.isEmpty { return "There are no open invitations." }
        var columns = Columns(["id", "role", "expires"])
        for each in invitations {
          columns.add(
            each["id"]?.string ?? "?", each["role"]?.string ?? "?",
            each["expires"]?.string ?? "?")
        }
        return columns.text
      }
    }
  }

  /// `theater invite revoke ID`.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke an invitation.")
    @Argument(help: "The id of the invitation.") var id: String
    @OptionGroup var output: OutputOptions

    func validate() throws { try NameArgument.requireText(id, "an invitation") }

    func run() async throws {
      try await RemoteTheater().delete(PeopleEndpoint.revokeInvitation.path(id))
      output.confirm("The invitation is revoked.")
    }
  }
}

/// A length of time on the command line: `30m`, `6h`, `7d`.
struct TimeSpan: ExpressibleByArgument, Sendable, Hashable {
  let seconds: Int

  init(seconds: Int) { self.seconds = seconds }

  init?(argument: String) {
    guard let unit = argument.last, let length = Self.units[unit],
      let count = Int(argument.dropLast()), (1...100_000).contains(count)
    else { return nil }
    seconds = count * length
  }

  private static let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]

  /// The default in the help: `24h`, `90m`.
  var defaultValueDescription: String {
    seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds / 60)m"
  }
}
