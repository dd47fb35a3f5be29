import JSON
import TheaterAPI

/// The main screen, which opens after a login in a terminal (A5): what is on, and the menu of what a
/// person can do (E8).
struct MainScreen {
  let theater: RemoteTheater

  /// Writes the screen.
  func show() async {
    // The login has succeeded: a status that cannot be read must not fail it.
    let status = try? await theater.get(PlaybackEndpoint.status.path())
    let text = StatusText(width: Console.width, hasColour: Console.hasColour)
    Console.write(Self.text(status, text).joined(separator: "\n") + "\n")
  }

  /// The lines of the screen.
  /// - Parameter status: The response of `PlaybackEndpoint.status`; `nil` when it could not be read.
  static func text(_ status: JSON?, _ text: StatusText) -> [String] {
    let headline = status.map {
      text.headline($0.printable["activity"] ?? [:], playback: $0["playback"])
    }
    var menu = Columns()
    for (deed, command) in [
      ("watch a film", "watch TITLE"), ("listen to music", "listen TITLE"),
      ("listen to the radio", "radio STATION"), ("make popcorn", "popcorn"),
      ("see what is on", "status"), ("choose from a menu", ""),
    ] {
      menu.add("  \(deed)", "\(ProgramName.name) \(command)".trimmed)
    }
    return [""] + (headline.map { [$0, ""] } ?? []) + menu.lines
  }
}
