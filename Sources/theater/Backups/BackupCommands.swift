import ArgumentParser
import Foundation
import JSON
import Storage

/// `theater backup`: copies of accounts and positions. Works on the files of this user, whether the
/// controller runs or not.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies of accounts and positions: made, checked, put back.",
    discussion: """
      The controller makes one a day, and one before a newer version changes the tables.
      They lie in `backups` in the state folder and are as secret as what they copy.
      """,
    subcommands: [List.self, Create.self, Verify.self, Restore.self], defaultSubcommand: List.self)

  /// A backup, as a person names it.
  struct Choice: ParsableArguments {
    @Argument(
      help: ArgumentHelp(
        "A name from the list, or the path of one; the newest unless given.", valueName: "backup"),
      completion: .directory)
    var name: String?

    func backup(in backups: Backups) throws(ExitError) -> Backup {
      if let name {
        return try ExitError.explaining { () throws(StorageError) in try backups.find(name) }
      }
      if let newest = backups.all.first(where: { $0.reason != .replaced }) { return newest }
      throw ExitError(
        .failed, "there is no backup in \(backups.folder)",
        hint: "Make one: \(Invocation.name) backup create")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show which there are.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let backups = Backups(of: ApplicationPaths().state)
      let all = backups.all
      let json: JSON = ["folder": .string(backups.folder), "backups": .array(all.map(\.json))]
      try output.show(json) { _ in
        guard !all.isEmpty else { return "There is none in \(backups.folder)." }
        var columns = Columns(["backup", "made", "because"])
        for backup in all { columns.add(backup.name, backup.age, backup.because) }
        return columns.lines.joined(separator: "\n")
      }
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make one now; it is checked and kept for good.")

    func run() async throws {
      let backups = Backups(of: ApplicationPaths().state)
      let backup = try ExitError.explaining { () throws(StorageError) in
        try backups.create(.asked, at: Date())
      }
      Console.say("\(backup.path)")
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Look at one from its first page to its last.")
    @OptionGroup var choice: Choice

    func run() async throws {
      let backups = Backups(of: ApplicationPaths().state)
      let backup = try choice.backup(in: backups)
      let contents = try ExitError.explaining { () throws(StorageError) in
        try backups.verify(backup)
      }
      Console.say("\(backup.name) is whole: \(contents.words).")
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put one in the place of what is there, which is kept aside.",
      discussion: """
        Not while the controller runs. What lets somebody in and may have been ended, used or taken
        back since is void afterwards: sessions, one-time codes, known devices, invitations and guest
        passes. Passwords, second factors and recovery codes are those of the backup again.
        """)
    @OptionGroup var choice: Choice

    func run() async throws {
      let folders = ApplicationPaths()
      guard !SocketProbe.answers(at: folders.socket) else {
        throw ExitError(
          .failed, "the controller runs, and uses what would be replaced",
          hint: "End it first, then restore.")
      }
      let backups = Backups(of: folders.state)
      let backup = try choice.backup(in: backups)
      let replaced = try ExitError.explaining { () throws(StorageError) in
        try backups.restore(backup, at: Date())
      }
      Console.say("\(backup.name) is in its place.")
      Console.say(
        "Its sessions, one-time codes, known devices, invitations and guest passes are void: "
          + "everybody logs in anew.")
      if let replaced { Console.say("What was there is kept in \(replaced.path).") }
      Console.say("next: \(Invocation.name) serve")
    }
  }
}

extension Backup {
  fileprivate var json: JSON {
    [
      "name": .string(name), "path": .string(path), "made": .string(age),
      "because": .string(because),
    ]
  }

  /// When it was made, in UTC.
  fileprivate var age: String { madeAt?.ISO8601Format() ?? "?" }

  fileprivate var because: String {
    switch reason {
    case .asked: "somebody asked"
    case .daily: "a day had passed"
    case .before(let step): "before step \(step) of the tables"
    case .replaced: "another took its place; it may be damaged"
    case nil: "unknown"
    }
  }
}

extension BackupContents {
  fileprivate var words: String {
    "\(accounts) \(accounts == 1 ? "account" : "accounts"), "
      + "\(positions) \(positions == 1 ? "position" : "positions"), tables as of step \(schema)"
  }
}

extension ExitError {
  /// Runs `body`, and ends with what the database says.
  static func explaining<Value>(
    _ body: () throws(StorageError) -> Value
  ) throws(ExitError) -> Value {
    do {
      return try body()
    } catch {
      throw ExitError(.failed, error.message, hint: error.hint)
    }
  }
}
