import ArgumentParser
import Devices

/// The command `theater`: `theater serve` runs the controller; the other commands are its clients.
struct Theater: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "theater", abstract: "The home theater, from a terminal.",
    discussion: """
      Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the controller does \
      not run, 4 not logged in.

      With --json each command prints its result as JSON. An error is one line of JSON on \
      standard error: {"error": {"code": …, "message": …, "hint": …}}.

      theater --at https://box:8080 COMMAND uses the controller of another machine, or of another \
      user of this one.

      At a terminal, theater alone shows the main menu to a person who is logged in.

      Completion: theater --generate-completion-script bash|zsh|fish
      """,
    version: TheaterVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Playing",
        subcommands: [
          Watch.self, Listen.self, Radio.self, Popcorn.self, Pause.self, Resume.self, Next.self,
          Previous.self, Seek.self, Volume.self, Mute.self, Stop.self, Off.self,
        ]),
      CommandGroup(
        name: "Status",
        subcommands: [
          Status.self, RoomsCommand.self, ActivitiesCommand.self, Films.self, Songs.self,
          Stations.self, LibraryCommand.self, DeviceList.self,
          DeviceCommand.self, ScenesCommand.self, SceneCommand.self,
        ]),
      CommandGroup(
        name: "People",
        subcommands: [
          Register.self, LogIn.self, LogOut.self, WhoAmI.self, Prove.self, SessionCommands.self,
          Verify.self, ContactsCommand.self, PasswordCommand.self, TOTPCommand.self,
          RecoveryCodes.self, Invite.self,
          TokenCommand.self, Guest.self, People.self, Audit.self,
        ]),
      CommandGroup(
        name: "System",
        subcommands: [
          Serve.self, Plugins.self, PluginCommand.self, Audio.self, Discover.self, Doctor.self,
          Config.self, BackupCommand.self, ControllersCommand.self,
        ]),
    ])

  @OptionGroup var controller: ControllerOptions

  /// Shows the main menu to a person at a terminal who is logged in, and else the help.
  func run() async throws {
    guard Prompt.canChoose, let theater = try? RemoteTheater() else {
      throw CleanExit.helpRequest(self)
    }
    do {
      try await MenuSession(theater).run()
    } catch let error as ExitError where error.code == .notLoggedIn {
      throw CleanExit.helpRequest(self)
    }
  }
}
