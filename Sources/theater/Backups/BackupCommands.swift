import ArgumentParser
import Foundation
import JSON
import Storage

/// `theater backup`: copies of accounts and positions. Works on this user's files, with and without
/// a running controller.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Make, verify and restore backups of accounts and positions.",
    discussion: """
      The controller makes one a day, and one before a newer version changes the tables.
      They lie in `backups` in the state folder and are as secret as what they copy.
      """,
    subcommands: [List.self, Create.self, Verify.self, Restore.self], defaultSubcommand: List.self)

  /// The argument that selects a backup.
  struct Choice: ParsableArguments {
    @Argument(
      help: ArgumentHelp(
        "A name from the list, or a path; the newest by default.", valueName: "backup"),
      completion: .directory)
    var name: String?

    func backup(in backups: Backups) throws(ExitError) -> Backup {
      if let name {
        return try ExitError.explaining { () throws(StorageError) in try backups.find(name) }
      }
      if let newest = backups.all.first(where: { $0.reason != .replaced }) { return newest }
      throw ExitError(
        .failed, "there is no backup in \(backups.folder)",
        hint: "Make one: \(ProgramName.name) backup create")
    }
  }

  struct List: AsyncParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(abstract: "List the backups.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let backups = Backups(of: ApplicationPaths().state)
      let all = backups.all
      let json: JSON = ["folder": .string(backups.folder), "backups": .array(all.map(\.json))]
      try output.show(json) { _ in
        guard !all.isEmpty else { return "There are no backups in \(backups.folder)." }
        var columns = Columns(["backup", "made", "because"])
        for backup in all { columns.add(backup.name, backup.age, backup.because) }
        return columns.lines.joined(separator: "\n")
      }
    }
  }

  struct Create: AsyncParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a backup now; it is verified and never deleted.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let backups = Backups(of: ApplicationPaths().state)
      let backup = try WaitingLine.whileBlocked("Making a backup") { () throws(ExitError) in
        try ExitError.explaining { () throws(StorageError) in
          try backups.create(.asked, at: Date())
        }
      }
      try output.show(backup.json) { _ in backup.path }
    }
  }

  struct Verify: AsyncParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify a backup page by page.")
    @OptionGroup var choice: Choice
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let backups = Backups(of: ApplicationPaths().state)
      let backup = try choice.backup(in: backups)
      let contents = try WaitingLine.whileBlocked("Verifying \(backup.name)") {
        () throws(ExitError) in
        try ExitError.explaining { () throws(StorageError) in try backups.verify(backup) }
      }
      output.confirm(
        "\(backup.name) is whole: \(contents.words).",
        [
          "backup": backup.json, "accounts": .integer(contents.accounts),
          "positions": .integer(contents.positions),
        ])
    }
  }

  struct Restore: AsyncParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace accounts and positions by those of a backup; the current ones are kept.",
      discussion: """
        Not while the controller runs. Sessions, one-time codes, known devices, invitations and guest \
        passes of the backup become void: they may have been ended, used or revoked since. Passwords, \
        second factors and recovery codes are those of the backup again.
        """)
    @OptionGroup var choice: Choice
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let paths = ApplicationPaths()
      guard !SocketProbe.isListening(at: paths.socket) else {
        throw ExitError(
          .failed, "the controller runs and uses the data that would be replaced",
          hint: "Stop it first, then restore.")
      }
      let backups = Backups(of: paths.state)
      let backup = try choice.backup(in: backups)
      let replaced = try WaitingLine.whileBlocked("Restoring \(backup.name)") {
        () throws(ExitError) in
        try ExitError.explaining { () throws(StorageError) in
          try backups.restore(backup, at: Date())
        }
      }
      let lines = [
        "\(backup.name) is restored.",
        "Its sessions, one-time codes, known devices, invitations and guest passes are void; "
          + "everybody must log in again.",
        replaced.map { "The previous data is kept in \($0.path)." },
        "next: \(ProgramName.name) serve",
      ]
      output.confirm(
        lines.compactMap(\.self).joined(separator: "\n"),
        ["backup": backup.json, "replaced": replaced?.json ?? .null])
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

  /// The time at which it was made, in UTC.
  fileprivate var age: String { madeAt?.ISO8601Format() ?? "?" }

  fileprivate var because: String {
    switch reason {
    case .asked: "on request"
    case .daily: "daily"
    case .before(let step): "before migration \(step)"
    case .replaced: "replaced by a restore; it may be damaged"
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
  /// Runs `body` and turns its `StorageError` into an `ExitError`.
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
