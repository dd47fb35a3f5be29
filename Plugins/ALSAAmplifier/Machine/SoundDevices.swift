import CALSA
import JSON

/// The PCMs and mixers of this machine, for a person who chooses one.
enum SoundDevices {
  /// `{"pcms": [{"name", "description"}], "mixers": [{"name", "scale"}]}`; mixers are named as the
  /// `mixer` option wants them.
  static var listing: JSON {
    ["pcms": .array(pcms), "mixers": .array(mixers)]
  }

  private static var pcms: [JSON] {
    hints("pcm").filter { $0.direction != "Input" && $0.name != "null" }.map { hint in
      ["name": .string(hint.name), "description": .string(hint.description)]
    }
  }

  private static var mixers: [JSON] {
    var cards = ["default"]
    var card: Int32 = -1
    while snd_card_next(&card) == 0, card >= 0 { cards.append("hw:\(card)") }
    return cards.flatMap { card in
      HardwareMixer.list(card: card).map { control -> JSON in
        ["name": .string("\(card)/\(control.name)"), "scale": .string(control.scale.note)]
      }
    }
  }

  private static func hints(
    _ interface: String
  ) -> [(name: String, description: String, direction: String?)] {
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, interface, &list) == 0, let list else { return [] }
    defer { snd_device_name_free_hint(list) }
    var found: [(String, String, String?)] = []
    var next = list
    while let hint = next.pointee {
      if let name = text(hint, "NAME") {
        let description = text(hint, "DESC") ?? ""
        let oneLine = description.split(separator: "\n").joined(separator: ", ")
        found.append((name, oneLine, text(hint, "IOID")))
      }
      next += 1
    }
    return found
  }

  private static func text(_ hint: UnsafeRawPointer, _ key: String) -> String? {
    guard let value = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(value) }
    return String(cString: value)
  }
}
