import JSON

/// A device of one role, wherever it lives: behind a plugin's process, in memory, in a test.
public protocol Device: Sendable {
  var id: DeviceID { get }
  var role: Role { get }

  /// Gives the device a command and waits as `until` says.
  ///
  /// Commands of one device are carried out in the order in which they were given, but for urgent
  /// ones, which go first.
  ///
  /// - Returns: How the end is known.
  /// - Throws: Why it was not carried out; `.timeout` when the settled state does not come in time.
  @discardableResult
  func perform(_ command: Command, until: Completion) async throws(DeviceError) -> Confirmation

  /// What is known of the device at this moment.
  func snapshot() async -> DeviceSnapshot

  /// Every change from now on, newest last; the first element is the present snapshot. A reader
  /// that falls behind loses the middle, never the newest.
  func snapshots() async -> AsyncStream<DeviceSnapshot>

  /// The items that the player can play, from its discs and from `folder`; `[]` for other roles.
  ///
  /// - Parameter folder: An absolute path, or `nil` for the player's own discs alone.
  func scanCatalogue(folder: String?) async throws(DeviceError) -> [CatalogueItem]

  /// Makes the amplifier ready to hear `input` over a new cable.
  func openSocket(input: String) async throws(DeviceError) -> CableSocket
  /// Plugs a player's output into an amplifier's socket.
  func plug(into socket: CableSocket) async throws(DeviceError)

  /// Makes the amplifier lend its PCM to the player at `input`: while that input is selected the
  /// amplifier keeps it closed.
  ///
  /// - Returns: The PCM's name for ALSA.
  func lend(input: String) async throws(DeviceError) -> String
  /// Lets a player play on a PCM that is lent to it.
  func plug(pcm: String) async throws(DeviceError)
  /// Makes a player close the PCM that it was lent; it has done so when this returns.
  func unplug() async throws(DeviceError)
}

/// Devices without a catalogue and without cables.
extension Device {
  public func scanCatalogue(folder: String?) async throws(DeviceError) -> [CatalogueItem] { [] }
  public func openSocket(input: String) async throws(DeviceError) -> CableSocket {
    throw noCables
  }
  public func plug(into socket: CableSocket) async throws(DeviceError) { throw noCables }
  public func lend(input: String) async throws(DeviceError) -> String { throw noCables }
  public func plug(pcm: String) async throws(DeviceError) { throw noCables }
  public func unplug() async throws(DeviceError) { throw noCables }

  private var noCables: DeviceError {
    DeviceError(.unsupported, "this \(role.title) has no cables", device: id)
  }
}

/// How long to wait for a command.
public enum Completion: String, Sendable, Hashable, CaseIterable {
  /// Until the device has said that it will.
  case accepted
  /// Until the state shows it as done.
  case settled
}

/// How the end of a command is known.
public enum Confirmation: String, Sendable, Hashable {
  /// The device reported the settled state.
  case observed
  /// Accepted; the device cannot tell more, or nobody waited.
  case accepted
}

/// A device at one moment.
public struct DeviceSnapshot: Sendable, Hashable {
  public var state: DeviceState
  public var availability: Availability
  public var capabilities: Capabilities
  /// Rises by one each time the device's plugin starts anew: its cables must be plugged again.
  public var generation: Int

  public init(
    state: DeviceState = DeviceState(), availability: Availability = .starting,
    capabilities: Capabilities = Capabilities(), generation: Int = 0
  ) {
    self.state = state
    self.availability = availability
    self.capabilities = capabilities
    self.generation = generation
  }
}

/// Whether a device can be reached.
public enum Availability: Sendable, Hashable {
  case starting
  case available
  /// With the reason and what is being done about it, in a person's words.
  case unavailable(String)
}

/// What a device can do beyond the commands that every device of its role has.
public struct Capabilities: Sendable, Hashable {
  /// Names from the command tables: `stop`, `seek`.
  public var names: Set<String>
  /// Whether the device reports its state; when not, values are assumed from accepted commands.
  public var reportsState: Bool
  /// The kinds of cable that its end takes, best first: `pcm`, `alsa`, `wired`.
  public var cables: [CableKind]

  public init(names: Set<String> = [], reportsState: Bool = true, cables: [CableKind] = []) {
    self.names = names
    self.reportsState = reportsState
    self.cables = cables
  }
}

/// How sound travels from a player to an amplifier.
public enum CableKind: String, Sendable, Hashable, CaseIterable {
  /// Samples over a Unix socket, clocked by credit (docs/cable-protocol.md).
  case pcm
  /// An ALSA PCM that the amplifier lends to the player, which plays on it by itself
  /// (docs/cable-protocol.md).
  case alsa
  /// HDMI or an analogue wire: nothing to plug.
  case wired

  /// The kind by which two ends are joined: samples where both take them, a lent PCM last.
  public static func joining(_ source: [CableKind], _ sink: [CableKind]) -> CableKind? {
    [.pcm, .wired, .alsa].first { source.contains($0) && sink.contains($0) }
  }
}

/// The amplifier's end of a new cable.
public struct CableSocket: Sendable, Hashable {
  /// The Unix socket on which the amplifier waits.
  public let path: String
  /// Opens it once. A secret: it appears in no log and no event.
  public let token: String

  public init(path: String, token: String) {
    self.path = path
    self.token = token
  }
}

/// Something that a player can play.
public struct CatalogueItem: Sendable, Hashable {
  public var id: String
  public var title: String
  public var artist: String?
  public var album: String?
  public var track: Int?
  /// In seconds.
  public var duration: Double?
  /// `flac`, `mp3`, `simulated` …
  public var format: String?
  public var channels: Int?

  public init(
    id: String, title: String, artist: String? = nil, album: String? = nil, track: Int? = nil,
    duration: Double? = nil, format: String? = nil, channels: Int? = nil
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.track = track
    self.duration = duration
    self.format = format
    self.channels = channels
  }

  /// Reads what `json` writes; `nil` without an id and a title. Numbers out of range are left out.
  public init?(_ json: JSON) {
    guard let id = json["id"]?.string, !id.isEmpty, let title = json["title"]?.string else {
      return nil
    }
    self.init(
      id: id, title: title, artist: json["artist"]?.string, album: json["album"]?.string,
      track: json["track"]?.integer.flatMap { Self.trackRange.contains($0) ? $0 : nil },
      duration: json["duration"]?.number.flatMap {
        Playback.secondsRange.contains($0) ? $0 : nil
      },
      format: json["format"]?.string,
      channels: json["channels"]?.integer.flatMap { Self.channelRange.contains($0) ? $0 : nil })
  }

  /// The item for the wire and the API.
  public var json: JSON {
    var object: JSONObject = ["id": .string(id), "title": .string(title)]
    if let artist { object["artist"] = .string(artist) }
    if let album { object["album"] = .string(album) }
    if let track { object["track"] = .integer(track) }
    if let duration { object["duration"] = .number(duration) }
    if let format { object["format"] = .string(format) }
    if let channels { object["channels"] = .integer(channels) }
    return .object(object)
  }
}
