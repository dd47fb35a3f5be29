import CALSA
import JSON
import PluginKit

/// The PCMs and mixers of this machine, for `theater audio devices`.
enum SoundDevices {
  /// `{"pcms": [{"name", "description"}], "mixers": [{"name", "scale"}]}`: the names that the options `device` and
  /// `mixer` accept.
  static var listing: JSON {
    ["pcms": .array(pcms), "mixers": .array(mixers)]
  }

  private static var pcms: [JSON] {
    hints("pcm").filter { hint in
      hint.direction != "Input" && hint.name != "null" && SoundDeviceName(hint.name) != nil
    }.map { hint in
      ["name": .string(hint.name), "description": .string(hint.description)]
    }
  }

  private static var mixers: [JSON] {
    var cards = [SoundDeviceName.standard]
    var card: Int32 = -1
    while snd_card_next(&card) == 0, card >= 0 {
      if let name = SoundDeviceName("hw:\(card)") { cards.append(name) }
    }
    return cards.flatMap { card in
      HardwareMixer.list(card: card).compactMap { control -> JSON? in
        let name = "\(card)/\(control.name)"
        guard MixerName(option: name, device: card) != nil else { return nil }
        return ["name": .string(name), "scale": .string(control.scale.note)]
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

/// The check that libasound can be used. A missing device is no fault of the plugin: it is reported when
/// the amplifier is turned on.
enum LibasoundSelfCheck {
  /// The outcome of `--self-check`.
  static var outcome: SelfCheck {
    let result = snd_config_update()
    guard result < 0 else { return .passed }
    return .failed(
      "libasound cannot read its configuration (\(String(cString: snd_strerror(result))))",
      hint: "`sudo apt install --reinstall libasound2-data`, and look at ~/.asoundrc")
  }
}
