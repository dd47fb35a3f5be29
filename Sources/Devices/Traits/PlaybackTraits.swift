import JSON

/// A player of films or songs.
public protocol PlaybackControl: Device {}

extension PlaybackControl {
  /// Plays an item of the player's catalogue, and waits until it plays.
  ///
  /// - Parameters:
  ///   - item: The id of a film or song; `nil` resumes, or begins the disc.
  ///   - position: The start in seconds from the beginning, up to 48 hours.
  public func play(_ item: String? = nil, from position: Double? = nil) async throws(DeviceError) {
    try await perform("play", PlayRequest(item: item, position: position).json)
  }
  /// Pauses; `play()` resumes.
  public func pause() async throws(DeviceError) { try await perform("pause") }
  /// Stops and goes back to the beginning.
  public func stop() async throws(DeviceError) { try await perform("stop") }
}

/// A player that can go to other positions and tracks.
public protocol SeekControl: Device {}

extension SeekControl {
  /// Goes to a position in seconds from the beginning, up to 48 hours.
  ///
  /// - Throws: `.unsupported` if the player lacks the capability `seek`.
  public func seek(to position: Double) async throws(DeviceError) {
    try await perform("seek", .number(position))
  }
  /// Goes to the next track.
  public func next() async throws(DeviceError) { try await perform("next") }
  /// Goes to the previous track.
  public func previous() async throws(DeviceError) { try await perform("previous") }
}

/// A player with a disc tray.
public protocol TrayControl: Device {}

extension TrayControl {
  /// Stops and opens the tray; `play` closes it.
  public func eject() async throws(DeviceError) { try await perform("eject") }
}

/// The argument of `play`. Without an item the player resumes, or begins its disc.
public struct PlayRequest: Sendable, Hashable {
  /// The id of a film or song in the player's catalogue.
  public var item: String?
  /// The start, in seconds from the beginning.
  public var position: Double?

  public init(item: String? = nil, position: Double? = nil) {
    self.item = item
    self.position = position
  }

  init(_ json: JSON?) {
    self.init(item: json?["item"]?.string, position: json?["position"]?.number)
  }

  var json: JSON? {
    var object = JSONObject()
    if let item { object["item"] = .string(item) }
    if let position { object["position"] = .number(position) }
    return object.isEmpty ? nil : .object(object)
  }
}

extension DeviceTrait {
  /// Play, pause and stop.
  static func playback(of category: Category) -> DeviceTrait {
    DeviceTrait(
      .playback,
      commands: [
        CommandSpec(
          "play",
          .optional(
            .fields([
              ArgumentField(
                "item", .text(longest: CatalogueItem.longestID, what: "a film or song")),
              ArgumentField("position", .seconds),
            ])),
          settled: .playback([.playing]), within: .seconds(30), manner: .cancellable,
          effect: .plays,
          help: "Plays an item, from a position in seconds; alone, goes on or begins the disc."),
        CommandSpec(
          "pause", settled: .playback([.paused, .stopped, .ended]), manner: .urgent,
          permission: .play, help: "Holds still; play goes on."),
        CommandSpec(
          "stop", settled: .playback([.stopped, .ended, .failed]), manner: .urgent,
          effect: .releases, isNeedlessWhenOff: true,
          help: "Stops and goes back to the beginning."),
      ],
      states: [StateSpec(.playback, .playback, retention: .whileRunning)], stop: "stop",
      category: category,
      restore: restorePlayback)
  }

  private static func restorePlayback(_ restoration: RestorationContext) -> [RestorationContext
    .Step]
  {
    let reported = restoration.state.playback
    guard !restoration.remembered.contains(.playback), let playback = restoration.playback,
      let item = playback.item, reported?.item != item || reported?.status != playback.status
    else { return [] }
    // Playback cannot start at the end; only the player knows which item follows.
    let last = playback.duration.map { max(0, $0 - 1) } ?? .infinity
    let position = (min(playback.position, last) * 1000).rounded() / 1000
    let play = RestorationContext.Step(
      .playback, "play", PlayRequest(item: item, position: position).json)
    switch playback.status {
    case .playing, .opening: return [play]
    case .paused: return [play, .init(.playback, "pause")]
    case .stopped, .ended, .failed: return []
    }
  }

  /// Other positions and tracks.
  static let seeking = DeviceTrait(
    .seeking,
    commands: [
      CommandSpec(
        "seek", .required(.seconds), settled: .accepted, capability: "seek", permission: .play,
        effect: .seeks, help: "Goes to a position in seconds from the beginning."),
      CommandSpec(
        "next", settled: .accepted, manner: .cancellable, permission: .play, effect: .skips,
        help: "Goes to the next track."),
      CommandSpec(
        "previous", settled: .accepted, manner: .cancellable, permission: .play, effect: .skips,
        help: "Goes to the track before."),
    ],
    states: [])

  /// The disc tray.
  static let tray = DeviceTrait(
    .tray,
    commands: [
      CommandSpec(
        "eject", settled: .value(.tray, "open"), manner: .momentary, effect: .releases,
        isNeedlessWhenOff: true, help: "Stops and opens the tray; play closes it.")
    ],
    states: [
      StateSpec(
        .tray, .words(["open", "closed", "moving"]), retention: .none,
        transitions: [.init(value: "moving", description: "moving its tray")])
    ])
}
