import Devices
import JSON
import Scenes

/// An item that a user chose, as an argument of a scene.
struct ItemChoice: Sendable {
  /// The id of a film, song or station.
  let id: String
  let title: String
  /// The artist of a song, if the library has one.
  var artist: String?
  /// The length in seconds, if the library has it.
  var duration: Double?
  /// Whether a player may have a picture of it.
  var hasPicture = false
  /// Whether it is a part of an audio book.
  var isAudiobook = false
  var arguments: [String: SceneArgument] = [:]
}

extension ItemChoice {
  /// The choice of an item of the library.
  init(_ item: CatalogueItem, arguments: [String: SceneArgument] = [:]) {
    self.init(
      id: item.id, title: item.title, artist: item.artist, duration: item.duration,
      hasPicture: item.hasPicture, isAudiobook: item.isAudiobook, arguments: arguments)
  }
}

/// Resolves the texts that a user gives as arguments of a scene to items of the library.
struct ArgumentResolver {
  let catalogue: Catalogue
  /// The age limit of the user in years. Entries rated above it are not found.
  let ageLimit: Int?
  /// The items that the status shows to everybody. Naming one gets the reason why it is refused.
  let knownItems: Set<UTF8Key>
  /// A player of each category that is still reading its catalogue.
  let unreadPlayers: [Category: DeviceID]

  /// The activities that the user may begin, in the order of the file.
  let activities: [Activity]

  /// Returns the item that `text` names in the category that the activity plays; `nil` for a scene
  /// without such a parameter, if there is no text.
  ///
  /// - Parameter wanted: The category of the item that the user means; `nil` for any.
  /// - Throws: `invalid` for an item that the activity does not take.
  func choice(
    _ text: String?, for scene: Scene, of activity: Activity, expecting wanted: Category?
  ) throws(TheaterError) -> ItemChoice? {
    if text?.isEmpty == false {
      try requireItemParameter(of: scene, of: activity, expecting: wanted)
    }
    let parameter = scene.parameters.first { $0.value.category != nil }
    guard let parameter, let category = parameter.value.category else { return nil }
    guard let text, !text.isEmpty else {
      throw TheaterError(
        .invalid, "say which \(category.singular)", hint: "See the list of \(category.rawValue).")
    }
    if category == .stations, let frequency = StationFrequency(text) {
      return ItemChoice(
        id: frequency.description, title: frequency.description,
        arguments: [parameter.key: .frequency(frequency)])
    }
    let entry = try find(text, in: category)
    if let player = activity.player, !entry.players.isEmpty, !entry.players.contains(player) {
      let names = entry.players.map(\.name).joined(separator: ", ")
      throw TheaterError(
        .invalid, "\"\(entry.item.title)\" cannot be played by \(player)",
        hint: "It can be played by: \(names).", device: player)
    }
    return ItemChoice(entry.item, arguments: [parameter.key: argument(entry, in: category)])
  }

  /// Throws `invalid` unless the start scene of an activity takes an item of the wanted category.
  ///
  /// - Parameter wanted: `nil` for any category.
  func requireItemParameter(
    of scene: Scene, of activity: Activity, expecting wanted: Category?
  ) throws(TheaterError) {
    let taken = Set(scene.parameters.values.compactMap(\.category))
    guard taken.isEmpty || wanted.map({ !taken.contains($0) }) == true else { return }
    guard let wanted else {
      throw TheaterError(
        .invalid, "\"\(activity.name)\" takes no film, song or station",
        hint: "Begin it without one.")
    }
    guard activity.category != wanted else {
      throw TheaterError(
        .invalid, "\"\(activity.name)\" takes no \(wanted.singular): its scene chooses it",
        hint: "Begin it without a title.")
    }
    let others = activities.filter { $0.category == wanted }.map(\.name)
    throw TheaterError(
      .invalid, "\"\(activity.name)\" plays no \(wanted.rawValue)",
      hint: others.isEmpty
        ? "No activity that you may begin does."
        : "These play \(wanted.rawValue): \(others.joined(separator: ", ")).")
  }

  /// Returns the arguments of a scene from one text for each parameter.
  func arguments(_ texts: [String: String], for scene: Scene)
    throws(TheaterError) -> [String: SceneArgument]
  {
    var arguments: [String: SceneArgument] = [:]
    for (name, text) in texts {
      guard let kind = scene.parameters[name] else {
        throw .unknown("parameter", name, scene.parameters.keys)
      }
      arguments[name] = try argument(text, kind: kind, name: name)
    }
    return arguments
  }

  private func argument(_ text: String, kind: ParameterKind, name: String)
    throws(TheaterError) -> SceneArgument
  {
    switch kind {
    case .film: return argument(try find(text, in: .films), in: .films)
    case .song: return argument(try find(text, in: .songs), in: .songs)
    case .station:
      if let frequency = StationFrequency(text) { return .frequency(frequency) }
      return argument(try find(text, in: .stations), in: .stations)
    case .text: return .text(text)
    case .number:
      guard let number = Double(text), number.isFinite else {
        throw TheaterError(.invalid, "\"\(text.quotation)\" is not a number for \(name)")
      }
      return .number(number)
    }
  }

  private func argument(_ entry: Catalogue.Entry, in category: Category) -> SceneArgument {
    guard category == .stations else { return .item(entry.item.id) }
    return entry.frequency.map { .frequency($0) } ?? .station(entry.item.title)
  }

  /// Whether the text names an entry, or a frequency, whatever players may find later.
  func isExact(_ text: String, in category: Category) -> Bool {
    if category == .stations, StationFrequency(text) != nil { return true }
    return catalogue.namesOneEntry(
      text, in: category, ageLimit: ageLimit, knownItems: knownItems)
  }

  private func find(_ text: String, in category: Category) throws(TheaterError) -> Catalogue.Entry {
    do {
      return try catalogue.find(
        text, in: category, ageLimit: ageLimit, knownItems: knownItems)
    } catch {
      if error.code == .notFound, let player = unreadPlayers[category] {
        throw TheaterError(
          .notFound, error.message,
          hint: "\(player) is still reading its \(category.rawValue). Try again in a moment.")
      }
      guard category == .stations, StationFrequency.parts(of: text) != nil else { throw error }
      throw TheaterError(
        .invalid, "there is no station and no frequency \"\(text.quotation)\"",
        hint: "FM goes from 76 to 108 MHz, AM from 520 to 1710 kHz; or see the list of stations.")
    }
  }
}

extension ParameterKind {
  /// The category of the library from which the argument is chosen; `nil` for texts and numbers.
  var category: Category? {
    switch self {
    case .film: .films
    case .song: .songs
    case .station: .stations
    case .text, .number: nil
    }
  }
}
