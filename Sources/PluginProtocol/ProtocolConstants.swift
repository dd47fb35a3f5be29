import Devices

/// The limits of the plugin protocol (docs/plugin-protocol.md, Limits): the sizes of lines, texts,
/// reports and catalogues, and the amount of data that the controller keeps for a plugin.
///
/// Lengths are bytes in UTF-8.
public enum ProtocolLimits {
  // MARK: Lines

  /// A line's longest length, without its newline.
  public static let longestLine = 1 << 20
  /// The most bytes that may wait to be written before the peer counts as stuck.
  public static let largestBacklog = 4 << 20
  /// The number of received lines that are no messages after which a plugin is restarted.
  public static let badLines = 10

  // MARK: Texts that are cut

  /// The message of an error, its hint, each text in a self-check's answer, and the description of a bad line.
  public static let message = 1024
  /// A line of the log.
  public static let logMessage = 2048
  /// A line of standard error.
  public static let stderrLine = 500
  /// The title, artist and album of an item, and the reason of a playback.
  public static let title = 1024
  /// The format of an item: `flac`.
  public static let format = 64
  /// The name of an attribute.
  public static let attributeName = 64
  /// The unit of an attribute.
  public static let attributeUnit = 32
  /// The label of an attribute.
  public static let attributeLabel = 128
  /// The title of a manifest.
  public static let manifestTitle = 256
  /// The version of a manifest.
  public static let manifestVersion = 64

  // MARK: Identifiers: longer ones are refused, because a cut one would name nothing or another object

  /// The id of an item: a path.
  public static let item = CatalogueItem.longestID
  /// The cursor of a page.
  public static let cursor = 1024
  /// The name of a PCM that is lent.
  public static let pcm = 256
  /// The words of a manifest's command together.
  public static let command = 4096

  // MARK: Kept data

  /// The most attributes of a device.
  public static let attributes = 64
  /// The largest value of an attribute, as JSON. A text is cut, any other value is refused.
  public static let attributeValue = 1024
  /// The most bytes of all attributes of a device, as `Attribute.byteCount(name:)` counts them.
  public static let attributeBytes = 16 << 10
  /// The most items of a player's catalogue.
  public static let catalogueItems = CatalogueBudget.items
  /// The most bytes of a player's catalogue.
  public static let catalogueBytes = CatalogueBudget.bytes
  /// The most pages of a scan.
  public static let cataloguePages = 10_000
  /// The longest time in which the pages of a scan are read.
  public static let catalogueTime = Duration.seconds(600)
  /// The most bytes of a picture. As base64 text it fits into a line.
  public static let picture = ItemPicture.mostBytes
  /// The largest answer to a question such as `--self-check`, in bytes.
  public static let questionAnswer = 1 << 18
  /// The longest wait for such an answer.
  public static let questionTime = Duration.seconds(5)
  /// The number of lines of standard error and of `log` notifications that are kept.
  public static let logLines = 200
  /// The most words of a manifest's command, and the most variables that it asks for.
  public static let manifestWords = 64

  // MARK: Rates

  /// The most unsolicited reports of a device in a second.
  public static let reportsPerSecond = 200.0
  /// The most unsolicited reports of a device at once.
  public static let reportBurst = 1000.0
  /// The most notifications for the log in a second, for each process.
  public static let logsPerSecond = 10.0
  /// The most notifications for the log at once, for each process.
  public static let logBurst = 200.0
  /// The most reports of a device's sound levels in a second.
  public static let levelsPerSecond = 15.0
  /// The most reports of a device's sound levels at once.
  public static let levelBurst = 30.0
  /// The most requests of a player for a new cable in a second.
  public static let plugRequestsPerSecond = 2.0
  /// The most requests of a player for a new cable at once.
  public static let plugRequestBurst = 20.0
}

/// The version of the plugin protocol. Plugins of another major version are refused; a newer minor
/// version only adds keys and messages that older readers ignore.
public struct ProtocolVersion: Sendable, Hashable, CustomStringConvertible {
  /// Versions with another major number are refused.
  public let major: Int
  /// A version with a higher minor number only adds keys and messages.
  public let minor: Int

  /// The version of the protocol in this build.
  public static let current = ProtocolVersion(major: 1, minor: 4)

  /// A version; both numbers are 0 or more.
  public init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `1.0`.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0
    else { return nil }
    self.init(major: major, minor: minor)
  }

  public var description: String { "\(major).\(minor)" }
  /// Whether the answer to a command may carry the device's last report.
  public var hasReportsInAnswers: Bool { major == 1 && minor >= 1 }
  /// Whether both sides understand each other.
  public func isCompatible(with other: ProtocolVersion) -> Bool { major == other.major }
}
