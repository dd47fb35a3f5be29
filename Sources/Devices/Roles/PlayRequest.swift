import JSON

/// What a player is to play. Without an item it goes on where it stands, or begins its disc.
public struct PlayRequest: Sendable, Hashable {
  /// The id of a film or song that the player's catalogue has.
  public var item: String?
  /// Where to begin, in seconds.
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

  static let argument = ArgumentSpec.optional(
    .fields([
      ArgumentField("item", .text(longest: 1000, what: "a film or song")),
      ArgumentField("position", .seconds),
    ]))
}

/// What every disc player can be told. The rows are shared by the CD and the DVD player.
enum DiscTransport {
  static func row<Player>(on command: Player) -> CommandRow<Player> {
    .plain(command, settled: .value(.power, "on"), help: "Turns the player on.")
  }
  static func row<Player>(off command: Player) -> CommandRow<Player> {
    .plain(
      command, settled: .value(.power, "off"), manner: .urgent, help: "Turns the player off.")
  }
  static func row<Player>(play make: @escaping @Sendable (PlayRequest) -> Player)
    -> CommandRow<Player>
  {
    CommandRow(
      argument: PlayRequest.argument, settled: .playback([.playing]), longest: .seconds(30),
      capability: nil, manner: .cancellable,
      help: "Plays an item, from a position in seconds; alone, goes on or begins the disc."
    ) { make(PlayRequest($0)) }
  }
  static func row<Player>(pause command: Player) -> CommandRow<Player> {
    .plain(
      command, settled: .playback([.paused, .stopped, .ended]), manner: .urgent, permission: .play,
      help: "Holds still; play goes on.")
  }
  static func row<Player>(stop command: Player) -> CommandRow<Player> {
    .plain(
      command, settled: .playback([.stopped, .ended, .failed]), manner: .urgent,
      help: "Stops and goes back to the beginning.")
  }
  static func row<Player>(eject command: Player) -> CommandRow<Player> {
    .plain(
      command, settled: .value(.tray, "open"), manner: .momentary,
      help: "Stops and opens the tray; play closes it.")
  }
  static func row<Player>(seek make: @escaping @Sendable (Double) -> Player) -> CommandRow<Player> {
    .number(
      .required(.seconds), settled: .accepted, capability: "seek", manner: .ordinary,
      permission: .play, help: "Goes to a position in seconds from the beginning."
    ) { $0.map(make) }
  }
  static func row<Player>(next command: Player) -> CommandRow<Player> {
    .plain(
      command, settled: .accepted, manner: .cancellable, permission: .play,
      help: "Goes to the next track.")
  }
  static func row<Player>(previous command: Player) -> CommandRow<Player> {
    .plain(
      command, settled: .accepted, manner: .cancellable, permission: .play,
      help: "Goes to the track before.")
  }
}
