import JSON

// Gear writes its values in more ways than its documentation names: numbers as texts, spaces behind a value, words in
// any case, an object around a word. A number outside its range says that the device does not know the value.

extension JSON {
  /// Returns the number as a percentage of `maximum`, rounded. Nil for a number outside 0 to `maximum`, and for
  /// anything else: the device does not know the value.
  func percent(of maximum: Double) -> Int? {
    guard let number = reportedNumber, maximum > 0, (0...maximum).contains(number) else {
      return nil
    }
    return Int((number / maximum * 100).rounded())
  }

  /// The number, also from a text such as "50", "50 " or "50 %"; nil for others.
  var reportedNumber: Double? {
    if let number { return number.isFinite ? number : nil }
    guard let text = string?.trimmedWord, text.utf8.count <= 32 else { return nil }
    let digits = text.hasSuffix("%") ? String(text.dropLast()).trimmedWord : text
    guard let number = Double(digits), number.isFinite else { return nil }
    return number
  }

  /// The value of a Boolean, of the numbers 1 and 0, and of the words that `String.isOnWord` accepts, also as the
  /// member of an object, such as `{"STATE": "ON"}`; nil for others.
  var isOn: Bool? {
    guard let object else { return isOnValue }
    let names = ["state", "power", "value", "on", "output"]
    for name in names {
      for (key, value) in object where key.lowercased() == name {
        if let isOn = value.isOnValue { return isOn }
      }
    }
    return nil
  }

  private var isOnValue: Bool? {
    switch self {
    case .bool(let isOn): return isOn
    case .string(let word): return word.isOnWord
    default:
      guard let number = integer else { return nil }
      return number == 1 ? true : number == 0 ? false : nil
    }
  }

  /// Whether the device can be reached, by a word, a Boolean or the member `state` of an object; nil for others.
  var isOnline: Bool? {
    let value = self["state"] ?? self
    return value.string?.isOnlineWord ?? value.bool
  }
}

extension String {
  private static let wordsForOn: Set<String> = [
    "on", "true", "1", "yes", "enabled", "enable", "active", "high", "running",
    "an", "ein", "aan", "allumé", "allume", "marche", "encendido", "acceso", "ligado", "på",
    "päällä", "zapnuto", "włączony", "вкл", "включено",
  ]
  private static let wordsForOff: Set<String> = [
    "off", "false", "0", "no", "disabled", "disable", "inactive", "low", "standby", "stopped",
    "aus", "uit", "éteint", "eteint", "arrêt", "arret", "apagado", "spento", "desligado", "av",
    "pois", "vypnuto", "wyłączony", "выкл", "выключено",
  ]
  private static let longestWord = 32

  /// The text without white space, control characters and NUL at its ends.
  var trimmedWord: String {
    let isBlank = { (character: Character) in
      character.isWhitespace || character.unicodeScalars.allSatisfy { $0.value < 32 }
    }
    let start = drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(start[...last])
  }

  /// The text in lower case, without blanks at its ends; nil if it is longer than a word.
  var plainWord: String? {
    utf8.count <= 4 * Self.longestWord ? trimmedWord.lowercased() : nil
  }

  /// True for `on`, `true`, `1` and other words for on, false for words for off, in any case; nil for others.
  var isOnWord: Bool? {
    guard let word = plainWord else { return nil }
    if Self.wordsForOn.contains(word) { return true }
    return Self.wordsForOff.contains(word) ? false : nil
  }

  /// True for `online` and other words for it, false for words for offline, in any case; nil for others.
  var isOnlineWord: Bool? {
    switch plainWord {
    case "online", "connected", "available", "alive": true
    case "offline", "disconnected", "unavailable", "lost": false
    default: isOnWord
    }
  }

  /// The end of a cover that a word names; nil for others.
  var coverEnd: CoverEnd? {
    switch plainWord {
    case "open", "opened", "up": .up
    case "close", "closed", "down": .down
    default: nil
    }
  }

  /// The motion that a word names: `.some(nil)` for a cover that stands still; nil for other words.
  var coverMotion: CoverEnd?? {
    switch plainWord {
    case "opening", "up", "raising": .some(.up)
    case "closing", "down", "lowering": .some(.down)
    case "stop", "stopped", "stopping", "still", "idle": .some(nil)
    default: nil
    }
  }
}
