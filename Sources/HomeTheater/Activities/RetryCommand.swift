import Devices
import JSON
import Scenes

extension Role {
  /// The command that makes a player of this role play an item; `nil` for a device that plays nothing.
  ///
  /// - Parameter position: In seconds. A station has none.
  func playCommand(_ item: String, at position: Double) -> Command? {
    if has(.tuning) {
      switch StationFrequency(item) {
      case .am(let kilohertz): return try? TunerCommand.am(kilohertz).checked()
      case .fm(let megahertz): return try? TunerCommand.fm(megahertz).checked()
      case nil: return try? TunerCommand.station(item).checked()
      }
    }
    let milliseconds = (position * 1000).rounded()
    var argument: JSONObject = ["item": .string(item)]
    if milliseconds > 0 { argument["position"] = .number(milliseconds / 1000) }
    return try? Command("play", argument: .object(argument), role: self)
  }
}

extension Duration {
  /// The time for people, in whole minutes or seconds: "20 min", "90 s".
  var words: String {
    let seconds = components.seconds
    return seconds >= 60 && seconds.isMultiple(of: 60) ? "\(seconds / 60) min" : "\(seconds) s"
  }
}

extension Double {
  /// A position in seconds for people: "43:10", "1:02:03".
  var positionText: String {
    let seconds = Int(min(max(0, self), Playback.secondsRange.upperBound))
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (minutes, rest) = (seconds / 60, twoDigits(seconds % 60))
    return minutes < 60
      ? "\(minutes):\(rest)" : "\(minutes / 60):\(twoDigits(minutes % 60)):\(rest)"
  }
}
