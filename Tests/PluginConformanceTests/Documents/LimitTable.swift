import Devices
import JSON
import PluginProtocol

/// The table of limits in docs/plugin-protocol.md, made from `ProtocolLimits`.
enum LimitTable {
  private typealias Limits = ProtocolLimits

  static var text: String {
    "| | limit | beyond it |\n|---|---|---|\n"
      + (messages + texts + names + kept).joined(separator: "\n")
  }

  private static func row(_ what: String, _ limit: String, _ beyond: String) -> String {
    "| \(what) | \(limit) | \(beyond) |"
  }

  private static var messages: [String] {
    [
      row(
        "a line", "\(bytes(Limits.longestLine)) without its newline",
        "passed over up to its newline; a plugin answers it with -32600"),
      row("nesting", "\(JSON.deepestNesting) levels", "the line is no message"),
      row(
        "combining marks in a row", number(TextLimits.marksInARow), "the line is no message"),
      row(
        "lines that are no messages", "\(Limits.badLines) since the start",
        "the plugin is restarted, and its status shows the last one"),
      row(
        "waiting to be written, because the other side does not read",
        bytes(Limits.largestBacklog), "the other side counts as stuck"),
      row(
        "unsolicited reports of a device",
        rate(Limits.reportsPerSecond, Limits.reportBurst),
        "the newest value of each key waits until there is room"),
      row(
        "`levels` notifications of a device", rate(Limits.levelsPerSecond, Limits.levelBurst),
        "dropped"),
      row(
        "`plugAgain` notifications of a player",
        rate(Limits.plugRequestsPerSecond, Limits.plugRequestBurst), "dropped"),
      row(
        "`log` notifications of a process", rate(Limits.logsPerSecond, Limits.logBurst), "dropped"),
    ]
  }

  private static var texts: [String] {
    [
      row("`message`, `hint` of an error or self-check", bytes(Limits.message), "cut"),
      row("`message` of `log`", bytes(Limits.logMessage), "cut"),
      row(
        "a line of standard error, or of `log` with the plugin", bytes(Limits.stderrLine),
        "cut; the last \(Limits.logLines) lines are kept"),
      row("`title`, `artist`, `album`; `reason` of a playback", bytes(Limits.title), "cut"),
      row("`format` of an item", bytes(Limits.format), "cut"),
      row("the name of an attribute", bytes(Limits.attributeName), "cut"),
      row("its `label`", bytes(Limits.attributeLabel), "cut"),
      row("its `unit`", bytes(Limits.attributeUnit), "cut"),
      row(
        "its `value`, as JSON", bytes(Limits.attributeValue), "a text is cut, all else dropped"),
      row("`title` of a manifest", bytes(Limits.manifestTitle), "cut"),
      row("`version` of a manifest", bytes(Limits.manifestVersion), "cut"),
    ]
  }

  private static var names: [String] {
    [
      row(
        "`id` of an item, `item` of a playback", bytes(Limits.item),
        "the item is left out, the playback dropped"),
      row(
        "`input`, `station`",
        "\(ArgumentShape.longestName) code points, \(bytes(4 * ArgumentShape.longestName))",
        "dropped"),
      row("`pcm` that is lent", bytes(Limits.pcm), "no answer to `lend`"),
      row("`next` of a page", bytes(Limits.cursor), "the catalogue ends there"),
      row(
        "`command` of a manifest", "\(Limits.manifestWords) words, \(bytes(Limits.command))",
        "the plugin is not usable"),
    ]
  }

  private static var kept: [String] {
    [
      row(
        "attributes of a device",
        "\(Limits.attributes); together \(bytes(Limits.attributeBytes)), 32 of them for each",
        "further ones are dropped"),
      row(
        "the catalogue of a player",
        "\(number(Limits.catalogueItems)) items; \(bytes(Limits.catalogueBytes)), 64 of them for each",
        "the rest is left out"),
      row(
        "the pages of a scan",
        "\(number(Limits.cataloguePages)) within \(Int(Limits.catalogueTime.seconds)) s",
        "the rest is left out"),
      row("`data` of a picture, decoded", bytes(Limits.picture), "it counts as none"),
      row(
        "the answer to `--self-check`",
        "\(bytes(Limits.questionAnswer)) within \(Int(Limits.questionTime.seconds)) s",
        "it counts as none"),
      row("a manifest", bytes(Limits.longestLine), "the plugin is not usable"),
    ]
  }

  private static func rate(_ perSecond: Double, _ burst: Double) -> String {
    "\(number(Int(perSecond))) a second, after \(number(Int(burst))) at once"
  }

  private static func bytes(_ count: Int) -> String { "\(number(count)) bytes" }

  /// With a comma before each group of three digits.
  private static func number(_ value: Int) -> String {
    guard value >= 1000 else { return "\(value)" }
    return number(value / 1000) + "," + "\(1000 + value % 1000)".dropFirst()
  }
}
