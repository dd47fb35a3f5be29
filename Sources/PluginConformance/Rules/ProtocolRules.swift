import PluginProtocol

/// The rules that cases check, in the order of the document.
extension ProtocolRule {
  // Lines
  static let emptyLines = Self("Lines", "Empty lines are ignored.")
  static let onlyControllerAsks = Self("Lines", "Only the controller sends requests.")
  static let answeredOnce = Self("Lines", "each request is answered exactly once")
  static let standardOutput = Self("Lines", "Standard output carries messages only.")
  static let unknownNotifications = Self(
    "Lines", "Unknown keys in params and answers, and unknown notifications, are ignored")
  static let unknownMethod = Self("Lines", "A *request* with an unknown method is an error.")

  // A session
  static let introduction = Self("initialize", "`plugin` and `version` are those of the manifest.")
  static let majorVersion = Self(
    "initialize", "If the *major* versions differ, the plugin refuses the request")
  static let minorVersion = Self("initialize", "A higher minor version is accepted")
  static let firstState = Self(
    "open", "Before it answers, the plugin reports the state of every key that it knows.")
  static let capabilities = Self(
    "open",
    "`capabilities` names the optional commands that the device has: see the table of roles.")
  static let cables = Self(
    "open", "`cables` are the kinds of cable that the device supports, best first")
  static let severalDevices = Self("open", "Any number of devices may be open at a time.")
  static let openReplaces = Self(
    "open", "If the name is already open, the old device is closed first.")
  static let refusedOpen = Self("open", "After a refused `open` the name is not open")
  static let reportsBeforeAnswer = Self(
    "perform", "**Report values that change with acceptance before the answer**")
  static let settled = Self(
    "perform",
    "The command is done when the device reports the *settled* state in the row of the command.")
  static let reportInAnswer = Self(
    "perform",
    "A plugin sends `report` only to a controller that said 1.1 or higher in `initialize`")
  static let cancelledOnce = Self("cancel", "The request is answered once in any case.")
  static let unknownCancel = Self("cancel", "Ids of no open request are ignored.")
  static let provenance = Self(
    "state", "`provenance` says where all values of the line come from")
  static let itemFirst = Self(
    "Playback notifications from item to item",
    "After a `play` that names an item, the player reports `playing` with that item before any later item"
  )
  static let itemEnds = Self(
    "Playback notifications from item to item",
    "A player that goes on to another item by itself first reports the old item at its end")
  static let itemSkipped = Self(
    "Playback notifications from item to item",
    "After `next`, `previous` or a `play` of another item, the player reports only the new item.")
  static let noEndBetween = Self(
    "Playback notifications from item to item",
    "Between items there is no `ended`, and no `stopped`.")
  static let scanAnswer = Self("scan", "Lists the items that a player can play")
  static let itemIDs = Self("scan", "No two items have the same `id`.")
  static let itemKeys = Self("scan", "`id` and `title` are required.")
  static let itemNumbers = Self("scan", "`duration` is from 0 to 1000000000 s")
  static let pages = Self("scan", "The last answer has no `next`.")
  static let pictureOffered = Self(
    "picture",
    "The controller asks for the picture of an item that was listed with `\"picture\": true`")
  static let pictureFile = Self(
    "picture", "`data` is a whole JPEG, PNG or WebP file of at most 512 KiB, as base64 text")
  static let pictureOfUnknownItem = Self(
    "picture", "An item that the player does not list has none")
  static let noLevelsUnasked = Self(
    "meter and levels", "An amplifier that was just opened reports none.")
  static let levelsWanted = Self(
    "meter and levels", "`meter` with `\"on\": true` begins the reports, and `false` ends them.")
  static let levelRate = Self(
    "meter and levels", "While sound arrives the amplifier sends `levels` up to 15 times a second")
  static let levelValues = Self(
    "meter and levels", "`peak` is the highest sample of each channel since the last report")
  static let logLevel = Self(
    "log",
    "Writes a message to the controller's log: with level `debug`, `info`, `warning` or `error`")
  static let ping = Self("ping", "The plugin answers at once, also while commands are in progress.")
  static let closed = Self("close", "The answer means that the device is released")
  static let shutdown = Self(
    "shutdown, and the end", "The plugin answers, closes its devices and exits.")
  static let exit = Self(
    "shutdown, and the end", "In both cases **the process exits within 2 seconds**, with status 0")
  static let noChildren = Self("shutdown, and the end", "and leaves no child process")

  // Errors and limits
  static let parseError = Self("Errors", "| -32700 | the line is not JSON, not UTF-8")
  static let invalidRequest = Self("Errors", "| -32600 | JSON, but no message")
  static let invalidParams = Self(
    "Errors", "| -32602 | a param is missing or of the wrong kind, or the device is not open |")
  static let errorKind = Self(
    "Errors", "| -32000 | the device's own answer; `data.kind` says which |")
  static let invalidCommand = Self(
    "Errors", "| `invalid` | unknown command, or an argument outside its range |")
  static let unsupported = Self(
    "Errors", "| `unsupported` | this device can never do that |")
  static let texts = Self(
    "Limits",
    "The controller bounds all texts and values of a plugin before it keeps, compares or shows them."
  )
  static let longLines = Self("Limits", "| a line | 1,048,576 bytes without its newline |")
  static let nesting = Self("Limits", "| nesting | 64 levels | the line is no message |")
  static let catalogueSize = Self("Limits", "| the catalogue of a player |")
  static let cursor = Self("Limits", "| `next` of a page |")
  static let values = Self(
    "Limits", "A key that the role does not have, and a value that is not in")
  static let survives = Self(
    "Limits", "A plugin applies the same limits of length and nesting to the controller's lines")

  /// Returns the rule that is broken when a request gets no answer: its row in the table of messages.
  package static func answer(to method: String) -> ProtocolRule {
    PluginContract.request(method).map { Self("Messages", $0.row) } ?? .answeredOnce
  }

  // The manifest and the self-check
  static let manifestCommand = Self(
    "The manifest", "| `command` | the program and its arguments")
  static let manifestID = Self(
    "The manifest", "the plugin's name in `devices.json` and of its folder")
  static let manifestVersion = Self(
    "The manifest", "| `protocol` | the version of this contract that it speaks |")
  static let manifestRoles = Self(
    "The manifest", "the state keys that the device `remembers` without the process")
  static let optionsSchema = Self(
    "The manifest", "Any other keyword is an error, because nothing would check it.")
  static let selfCheck = Self(
    "The self-check", "With `--self-check`, the plugin checks its requirements")
}
