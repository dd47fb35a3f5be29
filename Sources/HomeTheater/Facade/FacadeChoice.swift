import Devices
import JSON
import Scenes

extension HomeTheaterFacade {
  /// What a person chose, ready for a scene.
  struct Choice: Sendable {
    /// The id of a film, song or station.
    let id: String
    let title: String
    /// Its length in seconds, where the library has it.
    var duration: Double?
    var arguments: [String: SceneArgument] = [:]
  }

  /// Finds what `text` names in the list that the activity plays.
  func choose(
    _ text: String?, for scene: Scene, of activity: Activity, by principal: Principal
  ) throws(TheaterError) -> Choice? {
    let parameter = scene.parameters.first { $0.value.category != nil }
    guard let parameter, let category = parameter.value.category else { return nil }
    guard let text, !text.isEmpty else {
      throw TheaterError(
        .invalid, "say which \(category.singular)", hint: "See: theater \(category.rawValue)")
    }
    if category == .stations, let frequency = StationFrequency(text) {
      return Choice(
        id: frequency.description, title: frequency.description,
        arguments: [parameter.key: .frequency(frequency)])
    }
    let entry = try find(text, in: category, by: principal)
    if let player = activity.player, !entry.players.isEmpty, !entry.players.contains(player) {
      let names = entry.players.map(\.name).joined(separator: ", ")
      throw TheaterError(
        .invalid, "\"\(entry.item.title)\" cannot be played by \(player)",
        hint: "It can be played by: \(names).", device: player)
    }
    let argument: SceneArgument =
      if category == .stations {
        entry.frequency.map { .frequency($0) } ?? .station(entry.item.title)
      } else {
        .item(entry.item.id)
      }
    return Choice(
      id: entry.item.id, title: entry.item.title, duration: entry.item.duration,
      arguments: [parameter.key: argument])
  }

  /// The arguments of a scene that is run by itself, from texts.
  func arguments(_ texts: [String: String], for scene: Scene, by principal: Principal)
    throws(TheaterError) -> [String: SceneArgument]
  {
    var arguments: [String: SceneArgument] = [:]
    for (name, text) in texts {
      guard let kind = scene.parameters[name] else {
        throw unknown("parameter", name, scene.parameters.keys)
      }
      arguments[name] = try argument(text, kind: kind, name: name, by: principal)
    }
    return arguments
  }

  /// The entry of the list; what reads as a frequency but is on no band is told so.
  private func find(_ text: String, in category: Category, by principal: Principal)
    throws(TheaterError) -> Catalogue.Entry
  {
    do {
      return try catalogue.find(text, in: category, ageLimit: principal.ageLimit)
    } catch {
      guard category == .stations, StationFrequency.words(of: text) != nil else { throw error }
      throw TheaterError(
        .invalid, "there is no station and no frequency \"\(text.quotation)\"",
        hint: "FM goes from 76 to 108 MHz, AM from 520 to 1710 kHz; see: theater stations")
    }
  }

  private func argument(
    _ text: String, kind: ParameterKind, name: String, by principal: Principal
  ) throws(TheaterError) -> SceneArgument {
    switch kind {
    case .film: return .item(try find(text, in: .films, by: principal).item.id)
    case .song: return .item(try find(text, in: .songs, by: principal).item.id)
    case .station:
      if let frequency = StationFrequency(text) { return .frequency(frequency) }
      let entry = try find(text, in: .stations, by: principal)
      return entry.frequency.map { .frequency($0) } ?? .station(entry.item.title)
    case .text: return .text(text)
    case .number:
      guard let number = Double(text), number.isFinite else {
        throw TheaterError(.invalid, "\"\(text.quotation)\" is not a number for \(name)")
      }
      return .number(number)
    }
  }
}

extension ParameterKind {
  /// The list from which it is chosen.
  var category: Category? {
    switch self {
    case .film: .films
    case .song: .songs
    case .station: .stations
    case .text, .number: nil
    }
  }
}

extension StationFrequency: CustomStringConvertible {
  /// Reads "98.5 FM", "fm 98,5", "98.5" and "720 AM"; a bare number is FM when it can be, else AM.
  package init?(_ text: String) {
    guard let (number, bands) = Self.words(of: text) else { return nil }
    let saysFM = bands.contains("fm") || bands.contains("mhz")
    let saysAM = bands.contains("am") || bands.contains("khz")
    if TunerCommand.fmRange.contains(number), !saysAM {
      self = .fm(number)
    } else if TunerCommand.amRange.contains(number), !saysFM {
      self = .am(number)
    } else {
      return nil
    }
  }

  /// The number and the bands of what is written like a frequency, whether or not there is such a
  /// one.
  static func words(of text: String) -> (number: Double, bands: [Substring])? {
    guard text.utf8.count <= 64 else { return nil }
    let words = text.lowercased().replacing(",", with: ".").split(separator: " ")
    let numbers = words.compactMap { Double($0) }
    let bands = words.filter { ["fm", "am", "mhz", "khz"].contains($0) }
    guard let number = numbers.first, number.isFinite, numbers.count == 1,
      words.count == 1 + bands.count, bands.count <= 2
    else { return nil }
    return (number, bands)
  }

  package var description: String {
    switch self {
    case .am(let kilohertz): "\(kilohertz.formatted) kHz AM"
    case .fm(let megahertz): "\(megahertz.formatted) MHz FM"
    }
  }
}

extension Double {
  fileprivate var formatted: String {
    Int(exactly: self).map { String($0) } ?? description
  }
}
