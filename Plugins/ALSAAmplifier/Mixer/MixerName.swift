import PluginKit

/// The mixer control that sets the volume, as the `mixer` option names it.
enum MixerName: Equatable {
  /// None: the volume is computed.
  case software
  /// A control of a card; without a name the card's first usual one.
  case hardware(card: SoundDeviceName, control: String?)

  /// The controls that mean the whole output, in the order of preference.
  static let usual = ["Master", "PCM", "Digital", "Speaker", "Headphone", "Front"]

  /// The most bytes of a control's name; the kernel's names have at most 44.
  private static let longestControl = 64
  /// The characters of a control's name beside letters and digits.
  private static let signs = "_+.,()&#-"
  /// The rule as a regular expression, for the options schema in the manifest.
  static let pattern =
    "^(\(SoundDeviceName.pattern)/\(control(and: "/"))|\(control(and: "")))$"
  /// The valid values, for messages.
  static let expected =
    "auto, software, the name of a control, such as Master, or CARD/CONTROL, such as hw:0/Master"

  /// Returns the regular expression of a control's name that may have `more` characters.
  private static func control(and more: String) -> String {
    "[A-Za-z0-9]([A-Za-z0-9 \(more)\(signs)]*[A-Za-z0-9\(more)\(signs)])?"
  }

  /// Reads the option: `auto`, `software`, `CONTROL`, or `CARD/CONTROL` (`hw:0/Master`); `nil` for anything else, such
  /// as a card whose name is no ``SoundDeviceName``.
  init?(option: String, device: SoundDeviceName) {
    switch option {
    case "software": self = .software
    case "auto":
      self = Self.card(of: device).map { .hardware(card: $0, control: nil) } ?? .software
    default:
      let parts = option.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let control = parts.last, Self.isControl(control, canHaveSlash: parts.count == 2)
      else { return nil }
      guard parts.count == 2 else {
        self = .hardware(card: Self.card(of: device) ?? .standard, control: option)
        return
      }
      guard let card = SoundDeviceName(String(parts[0])) else { return nil }
      self = .hardware(card: card, control: String(control))
    }
  }

  private static func isControl(_ name: Substring, canHaveSlash: Bool) -> Bool {
    let isPlain = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
    guard let first = name.utf8.first, isPlain(first), name.utf8.last != 0x20,
      name.utf8.count <= longestControl
    else { return false }
    return name.utf8.allSatisfy { byte in
      isPlain(byte) || byte == 0x20 || signs.utf8.contains(byte) || canHaveSlash && byte == 0x2F
    }
  }

  /// Returns the card of a PCM's name; `nil` if the name shows none, or if the output is digital, so that a
  /// mixer would not act on it.
  static func card(of device: SoundDeviceName) -> SoundDeviceName? {
    if ["default", "pulse", "pipewire"].contains(device.text) { return device }
    let parts = device.text.split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let analogue: Set<Substring> = ["hw", "plughw", "sysdefault", "front", "dmix"]
    guard analogue.contains(parts[0]) || parts[0].hasPrefix("surround") else { return nil }
    let arguments = parts[1].split(separator: ",")
    let named = arguments.first { $0.hasPrefix("CARD=") }?.dropFirst(5)
    guard let card = named ?? arguments.first, !card.isEmpty, !card.contains("=") else {
      return nil
    }
    return SoundDeviceName("hw:\(card)")
  }
}
