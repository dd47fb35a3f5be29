import JSON

/// A device of one role: behind a plugin's process, in memory, or in a test.
///
/// Devices are objects: a theater tells a device from the one that replaces it by identity, not by
/// name. A type conforms to the protocol of its role, such as `Amplifier`, which supplies `role` and the
/// typed calls.
public protocol Device: AnyObject, Sendable {
  /// The name, unique in its theater.
  var id: DeviceID { get }
  /// The role, which decides the commands and the reported state.
  var role: Role { get }

  /// Gives the device a command, and waits until it is accepted or settled.
  ///
  /// Commands of one device are performed in the order of the calls; urgent ones go first. The call runs on the
  /// caller's actor until it waits, so calls from one actor arrive in the actor's order.
  ///
  /// - Returns: Whether the settled state was observed.
  /// - Throws: The reason why it was not performed; `.timeout` if the settled state does not come in
  ///   time.
  @discardableResult
  nonisolated(nonsending) func perform(
    _ command: Command, until: Completion
  ) async throws(DeviceError) -> Confirmation

  /// The present snapshot.
  nonisolated(nonsending) func snapshot() async -> DeviceSnapshot

  /// The present snapshot and every change from now on. A slow reader may miss intermediate snapshots,
  /// but gets the latest one.
  func snapshots() async -> AsyncStream<DeviceSnapshot>

  /// Returns what the device offers beyond commands and state; `nil` if it has no such facet.
  ///
  /// - Parameter type: The protocol of the facet: `(any LoudnessLimited).self`.
  func facet<Facet>(_ type: Facet.Type) -> Facet?

  /// The items that the player can play, from its discs or from `folder`; `[]` for other roles.
  ///
  /// - Parameter folder: An absolute path; `nil` for the player's own discs.
  func scanCatalogue(folder: String?) async throws(DeviceError) -> [CatalogueItem]

  /// The items of `scanCatalogue`, and the files that the player leaves out.
  func listCatalogue(folder: String?) async throws(DeviceError) -> CatalogueListing

  /// The picture of an item that the player can play; `nil` if there is none.
  ///
  /// Runs beside commands. It may take 30 s, because a player may have to make the picture.
  ///
  /// - Parameter item: The id of a catalogue item whose `hasPicture` is true.
  func picture(of item: String) async throws(DeviceError) -> ItemPicture?

  /// Opens the amplifier's end of a new cable for an input.
  func openSocket(input: String) async throws(DeviceError) -> CableSocket
  /// Connects a player's output to an amplifier's socket.
  func plug(into socket: CableSocket) async throws(DeviceError)

  /// Makes the amplifier lend its PCM to the player at `input`: while that input is selected the
  /// amplifier keeps it closed.
  ///
  /// - Returns: The PCM's name for ALSA.
  func lend(input: String) async throws(DeviceError) -> String
  /// Makes a player play on a PCM that it was lent.
  func plug(pcm: String) async throws(DeviceError)
  /// Makes a player close the PCM that it was lent; it has done so when this returns.
  func unplug() async throws(DeviceError)

  /// Sets the receiver of the sound's levels, in place of the earlier one.
  ///
  /// While there is one, a device with the capability `levels` reports its levels up to 15 times a second
  /// while it sounds, also after a restart of its plugin. Other devices never do.
  ///
  /// - Parameter receive: Called on the thread on which a report arrives, so it must not wait; `nil` ends
  ///   the reports.
  func setLevelReceiver(_ receive: (@Sendable (SoundLevels) -> Void)?)
}

extension Device {
  /// The facets to which the type conforms.
  public func facet<Facet>(_ type: Facet.Type) -> Facet? { self as? Facet }
}

/// Devices without a catalogue, without pictures, without cables and without levels.
extension Device {
  /// A player without items.
  public func scanCatalogue(folder: String?) async throws(DeviceError) -> [CatalogueItem] { [] }
  /// The items alone.
  public func listCatalogue(folder: String?) async throws(DeviceError) -> CatalogueListing {
    CatalogueListing(try await scanCatalogue(folder: folder))
  }
  /// A player without pictures.
  public func picture(of item: String) async throws(DeviceError) -> ItemPicture? { nil }
  /// - Throws: `.unsupported`.
  public func openSocket(input: String) async throws(DeviceError) -> CableSocket {
    throw noCables
  }
  /// - Throws: `.unsupported`.
  public func plug(into socket: CableSocket) async throws(DeviceError) { throw noCables }
  /// - Throws: `.unsupported`.
  public func lend(input: String) async throws(DeviceError) -> String { throw noCables }
  /// - Throws: `.unsupported`.
  public func plug(pcm: String) async throws(DeviceError) { throw noCables }
  /// - Throws: `.unsupported`.
  public func unplug() async throws(DeviceError) { throw noCables }
  /// Does nothing: the device reports no levels.
  public func setLevelReceiver(_ receive: (@Sendable (SoundLevels) -> Void)?) {}

  private var noCables: DeviceError {
    DeviceError(.unsupported, "this \(role.title) has no cables", device: id)
  }
}

/// The moment until which a caller waits for a command.
public enum Completion: String, Sendable, Hashable, CaseIterable {
  /// Until the device has accepted it.
  case accepted
  /// Until the reported state shows it as done.
  case settled
}

/// The evidence for the end of a command.
public enum Confirmation: String, Sendable, Hashable {
  /// The device reported the settled state.
  case observed
  /// The device accepted the command; its state was not awaited, or cannot be observed.
  case accepted
}

/// The state, availability and capabilities of a device at one moment.
public struct DeviceSnapshot: Sendable, Hashable {
  /// The values that were reported or assumed so far.
  public var state: DeviceState
  /// Whether the device takes commands, and if not, why.
  public var availability: Availability
  /// The abilities that the device declared when it was opened.
  public var capabilities: Capabilities
  /// Rises by one each time the device's plugin starts anew: its cables must be plugged again.
  public var generation: Int
  /// Rises by one each time a player asks for a new connection to its amplifier: its cable must be
  /// plugged again.
  public var plugRequests: Int

  /// A snapshot of a device that is starting and has reported nothing, unless given otherwise.
  public init(
    state: DeviceState = DeviceState(), availability: Availability = .starting,
    capabilities: Capabilities = Capabilities(), generation: Int = 0, plugRequests: Int = 0
  ) {
    self.state = state
    self.availability = availability
    self.capabilities = capabilities
    self.generation = generation
    self.plugRequests = plugRequests
  }

  /// Whether there is contact with the device: its plugin runs and knows its state, as far as it has one.
  public var isReachable: Bool {
    availability == .available
      && (state.readings.isEmpty || state.readings.values.contains { $0.provenance != .unknown })
  }
}

/// Whether a device can be reached.
public enum Availability: Sendable, Hashable {
  case starting
  case available
  /// With the reason and the next attempt, for people.
  case unavailable(String)
}

/// The abilities of a device beyond the commands common to its role.
public struct Capabilities: Sendable, Hashable {
  /// Names from the roles' definitions: `stop`, `seek`, `levels`.
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

/// The path of sound from a player to an amplifier.
public enum CableKind: String, Sendable, Hashable, CaseIterable {
  /// Samples over a Unix socket, clocked by credit (docs/cable-protocol.md).
  case pcm
  /// An ALSA PCM that the amplifier lends to the player, which plays on it by itself
  /// (docs/cable-protocol.md).
  case alsa
  /// HDMI or an analogue wire: always connected.
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

/// A film, song or station in a player's catalogue.
public struct CatalogueItem: Sendable, Hashable {
  /// The id for `play`, unique in the player's catalogue; for a station its name.
  public var id: String
  /// The title for people.
  public var title: String
  /// The artist of a song; `nil` if it is unknown.
  public var artist: String?
  /// The album of a song; `nil` if it is unknown.
  public var album: String?
  /// The number of the song on its album; `nil` if it is unknown.
  public var track: Int?
  /// The number of the disc in the album's set; `nil` if it is unknown.
  public var disc: Int?
  /// In seconds.
  public var duration: Double?
  /// `flac`, `mp3`, `simulated` …
  public var format: String?
  /// The number of audio channels; `nil` if it is unknown.
  public var channels: Int?
  /// Whether its player may have a picture of it.
  public var hasPicture: Bool

  public init(
    id: String, title: String, artist: String? = nil, album: String? = nil, track: Int? = nil,
    disc: Int? = nil, duration: Double? = nil, format: String? = nil, channels: Int? = nil,
    hasPicture: Bool = false
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.track = track
    self.disc = disc
    self.duration = duration
    self.format = format
    self.channels = channels
    self.hasPicture = hasPicture
  }

  /// Reads the format of `json`; `nil` without an id and a title. Numbers out of range are left out.
  public init?(_ json: JSON) {
    guard let id = json["id"]?.string, !id.isEmpty, let title = json["title"]?.string else {
      return nil
    }
    self.init(
      id: id, title: title, artist: json["artist"]?.string, album: json["album"]?.string,
      track: json["track"]?.integer.flatMap { Self.trackRange.contains($0) ? $0 : nil },
      disc: json["disc"]?.integer.flatMap { Self.trackRange.contains($0) ? $0 : nil },
      duration: json["duration"]?.number.flatMap {
        Playback.secondsRange.contains($0) ? $0 : nil
      },
      format: json["format"]?.string,
      channels: json["channels"]?.integer.flatMap { Self.channelRange.contains($0) ? $0 : nil },
      hasPicture: json["picture"]?.bool ?? false)
  }

  /// The item for the wire and the API.
  public var json: JSON {
    var object: JSONObject = ["id": .string(id), "title": .string(title)]
    if let artist { object["artist"] = .string(artist) }
    if let album { object["album"] = .string(album) }
    if let track { object["track"] = .integer(track) }
    if let disc { object["disc"] = .integer(disc) }
    if let duration { object["duration"] = .number(duration) }
    if let format { object["format"] = .string(format) }
    if let channels { object["channels"] = .integer(channels) }
    if hasPicture { object["picture"] = .bool(true) }
    return .object(object)
  }
}
